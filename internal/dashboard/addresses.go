package dashboard

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"typus"
)

// The addresses of pages that others lead to, and below which others lie. A test holds
// that nobody but this file and the routes writes one down.
const (
	homePath     = "/dashboard"
	peoplePath   = homePath + "/kandidaten" // the list of candidates
	welcomePath  = homePath + "/willkommen"
	invitePath   = homePath + "/einladen"
	importsPath  = homePath + "/import"
	exportPath   = homePath + "/export"
	creditsPath  = homePath + "/credits"
	selectedPath = homePath + "/auswahl"
	guidesPath   = selectedPath + "/leitfaden.pdf"
	comparePath  = homePath + "/vergleich"
	sortingPath  = homePath + "/sortierung"
	readAllPath  = homePath + "/gelesen"
	accentPath   = homePath + "/farbe"
	worldPath    = homePath + "/test" // the account's test world

	positionsPath   = homePath + "/stellen"
	newPositionPath = positionsPath + "/neu"
	logoPath        = homePath + "/logo"
	languagePath    = homePath + "/sprache"
	stylePath       = homePath + "/_stil"
	rolesPath       = homePath + "/rollenprofile"
	roleNewPath     = rolesPath + "/neu"
	roleAskPath     = rolesPath + "/fachleute"

	settingsPath   = homePath + "/einstellungen"
	accountPath    = settingsPath + "/" + groupAccount
	messagesPath   = accountPath + "/" + sectionMessages
	decisionPath   = accountPath + "/" + sectionDecision
	keepPath       = accountPath + "/" + sectionKeep
	ownTermsPath   = accountPath + "/" + sectionOwn
	noticePath     = settingsPath + "/" + sectionNotice
	keysPath       = settingsPath + "/" + sectionKeys
	endpointsPath  = settingsPath + "/" + sectionWebhooks
	deliveriesPath = endpointsPath + "/protokoll" // the log of deliveries
	replaysPath    = deliveriesPath + "/nachsenden"
	teamPath       = settingsPath + "/" + sectionTeam
	lettersPath    = settingsPath + "/" + sectionLetters
	logPath        = lettersPath + "/protokoll"
	auditPath      = settingsPath + "/" + sectionAudit
	profilePath    = settingsPath + "/" + sectionProfile
	totpPath       = profilePath + "/zwei-faktor"

	loginPath  = "/anmelden"
	codePath   = loginPath + "/code"
	forgotPath = "/passwort"
	signUpPath = "/registrieren"
	setUpPath  = "/einrichten"
)

// candidatePath is the page of a candidate, the reportUrl of webhooks (API description
// 2.5).
func candidatePath(id int64) string { return typus.Links{}.Report(id) }

func importPath(id int64) string { return importsPath + "/" + strconv.FormatInt(id, 10) }

// invitedPath is the page that says what became of an invitation.
func invitedPath(id int64) string { return invitePath + "/" + strconv.FormatInt(id, 10) }

// endpointPath is the page of a webhook.
func endpointPath(id int64) string { return endpointsPath + "/" + strconv.FormatInt(id, 10) }

// deliveryPath is the page of a delivery.
func deliveryPath(id string) string { return deliveriesPath + "/" + id }

// replayPath is the page of a run that sends deliveries again.
func replayPath(id int64) string { return replaysPath + "/" + strconv.FormatInt(id, 10) }

func memberPath(id int64) string { return teamPath + "/" + strconv.FormatInt(id, 10) }

// pathID is the id in the address. NotFound when it is none.
func pathID(v *visit) (int64, error) {
	id, err := strconv.ParseInt(v.PathValue("id"), 10, 64)
	if err != nil || id <= 0 {
		return 0, typus.Errorf(typus.NotFound, "there is nothing of this name")
	}
	return id, nil
}

// withBack adds where to go afterwards to an address.
func withBack(path, back string) string {
	if back == "" {
		return path
	}
	return path + "?weiter=" + url.QueryEscape(back)
}

// ownPath returns path if it leads into the dashboard, and "" otherwise. It refuses
// whatever a browser could take for another host, a backslash included, and every path
// that leads up out of the dashboard.
func ownPath(path string) string {
	if path != homePath && !strings.HasPrefix(path, homePath+"/") && !strings.HasPrefix(path, homePath+"?") {
		return ""
	}
	plain, _, _ := strings.Cut(path, "?")
	plain = strings.ReplaceAll(strings.ToLower(plain), "%2e", ".")
	if strings.Contains(plain, "//") || strings.Contains(plain, "..") || strings.ContainsAny(path, "\\\r\n\t") || len(path) > 2000 {
		return ""
	}
	return path
}

// opens reports whether a page can be opened at a path.
func (f *face) opens(path string) bool { return f.table.Answers(http.MethodGet, path) }

// pageAt returns our page at an address, or "" if there is none. A form that is shown
// again stands at an address that only takes POSTs; its page is the next one above.
func (f *face) pageAt(address string) string {
	if ownPath(address) == "" {
		return ""
	}
	path, _, _ := strings.Cut(address, "?")
	if f.opens(path) {
		return address
	}
	for path != "" && !f.opens(path) {
		path = path[:strings.LastIndex(path, "/")]
	}
	return path
}

// refererPath is our page on which a form stood, or "" if that is unknown. The page may
// have the host of the base URL instead of Host, which a proxy in front may have
// changed.
func (f *face) refererPath(v *visit) string {
	u, err := url.Parse(v.Referer())
	if err != nil || u.Host != v.Host && u.Scheme+"://"+u.Host != f.BaseURL {
		return ""
	}
	return u.RequestURI()
}
