package typus

// Actor is who does something, as the audit log names them.
type Actor struct {
	Name      string // "operator", "candidate", "api key <fingerprint>" or a user's e-mail
	UserID    int64  // 0 for anybody but a user
	IP        string // where the request came from, "" outside a request
	RequestID string // "" outside a request
}
