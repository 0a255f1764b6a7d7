package db

// NetworkKind names a network file system by the number of its kind.
var NetworkKind = networkKind
