package backup

// PlaceOf is the place that a sealed value of a row is bound to.
var PlaceOf = placeOf

// Uniques say in words what must not be on a server twice.
var Uniques = uniques
