package assess

// RemindOne queues the reminder of a candidate who was found due, as RemindDue does.
var RemindOne = (*Steps).remindDue
