package dashboard

import (
	"errors"
	"io"
	"net/http"
	"path"
	"strings"

	"typus"
	"typus/internal/assess"
	"typus/internal/roster"
)

const (
	// maxUpload bounds the whole form; a file above roster.MaxBytes is refused in words.
	maxUpload = 4 * roster.MaxBytes
	// importsShown of the newest imports stand under the form.
	importsShown = 10
)

// importView is where a file is chosen, with the imports so far.
type importView struct {
	frame
	Form    importForm
	Refused bool // no credits are left
	Past    []typus.Import
}

// Template names the page.
func (importView) Template() string { return "import" }

type importForm struct {
	File, Role, Language, Send *field
	Place                      *field // nil while there is only the default position
}

func (i importForm) fields() []*field {
	list := []*field{i.File, i.Role, i.Language, i.Send}
	if i.Place != nil {
		list = append(list, i.Place)
	}
	return list
}

func (f *face) importView(v *visit, places []typus.Position) (importView, error) {
	past, err := f.Store.Imports(v.Context(), v.Reader, importsShown)
	if err != nil {
		return importView{}, err
	}
	view := importView{frame: f.frame(v, areaInvite), Refused: v.Account.OutOfCredits(), Past: past}
	view.Crumbs = []crumb{{Label: "shell.invite", Path: invitePath}}
	hint := "import.sendHint"
	if !f.mails(v) {
		hint = "import.sendHintNoMail"
	}
	view.Form = importForm{
		File:     &field{Name: "datei", Label: "import.file", Hint: "import.fileHint", Type: "file", Accept: ".csv,.txt,.tsv,text/csv,text/plain"},
		Role:     f.roleField(v, v.Account.RoleProfile),
		Language: f.languageField(v),
		Send:     &field{Name: "send_email", Label: "import.send", Hint: hint, Type: "checkbox", Checked: true},
		Place:    f.placeField(v, places),
	}
	f.roleByPlace(v, view.Form.Role, view.Form.Place)
	view.Form.Language.Hint = "import.languageHint"
	return view, nil
}

func (f *face) importStart(v *visit, places []typus.Position) error {
	view, err := f.importView(v, places)
	if err != nil {
		return err
	}
	if gone(v, places) {
		f.sum(&view.frame, v, view.Form.fields()...)
	}
	return f.render(v, http.StatusOK, view)
}

// importSample is a file that shows how a list may look.
func (f *face) importSample(v *visit) error {
	say := func(key string) string { return f.say(v, key) }
	csv := newCSV(v.w, say("import.sampleName"), v.lang)
	csv.Row(say("import.sample.name"), say("import.sample.email"), "external_id", say("import.sample.language"))
	csv.Row("Kim Beispiel", "kim.beispiel@example.com", "crm-1001", "de")
	csv.Row("Jana Öztürk", "jana.oeztuerk@example.com", "crm-1002", "")
	csv.Row("Sam O’Neill", "sam.oneill@example.com", "", "en")
	return csv.send()
}

// importUpload keeps a file, and reads it at once if its headings say enough.
func (f *face) importUpload(v *visit, places []typus.Position) error {
	name, body, err := uploaded(v, "datei")
	if err != nil {
		return err
	}
	if !offered(v, places) {
		return f.uploadAgain(v, places, "")
	}
	if body == nil {
		return f.uploadAgain(v, places, "import.fault.none")
	}
	t, fault := roster.Read(body, roster.How{})
	if fault != "" {
		return f.uploadAgain(v, places, fileFaults[fault], "Size", bytesInWords(v.lang, int64(len(body))), "Most", bytesInWords(v.lang, roster.MaxBytes))
	}
	by := v.actor()
	by.Form = withFile(by.Form, name, body)
	id, err := f.Steps.AddImport(v.Context(), v.Reader, typus.Import{
		FileName: name, Language: v.PostFormValue("language"),
		RoleProfile: v.PostFormValue("role_profile"), SendEmail: v.PostFormValue("send_email") != "", PositionID: typedPlace(v),
	}, body, by)
	if sent, err := f.sentBefore(v, err, importPath); sent {
		return err
	}
	if assess.ClosedPosition(err) || typus.Is(err, typus.Forbidden) { // meanwhile
		return f.uploadAgain(v, places, "")
	}
	if typus.Is(err, typus.Conflict) {
		return f.uploadAgain(v, places, "import.fault.open")
	}
	if err != nil {
		return err
	}
	if c, sure := t.Guess(); sure {
		err := f.Steps.PreviewImport(v.Context(), v.Reader, id, listOf(t, c))
		if err != nil && !typus.Is(err, typus.Conflict) { // a Conflict: its page says what became of it meanwhile
			return err
		}
	}
	return f.goOn(v, importPath(id))
}

// fileFaults say in words why a file is no list.
var fileFaults = map[roster.Fault]string{
	roster.TooLarge:       "import.fault.size",
	roster.Excel:          "import.fault.excel",
	roster.Binary:         "import.fault.binary",
	roster.Empty:          "import.fault.empty",
	roster.TooManyColumns: "import.fault.columns",
	roster.TooManyPeople:  "import.fault.rows",
}

// uploaded reads the file of a form, or nil if none was chosen. It keeps only the last
// part of the file's name, cut to a bounded length.
func uploaded(v *visit, name string) (string, []byte, error) {
	file, header, err := v.FormFile(name)
	if errors.Is(err, http.ErrMissingFile) || errors.Is(err, http.ErrNotMultipart) {
		return "", nil, nil
	}
	if err != nil {
		return "", nil, typus.Errorf(typus.Invalid, "the file cannot be read").WithCause(err)
	}
	defer func() { _ = file.Close() }() // it was only read
	body, err := io.ReadAll(file)
	if err != nil {
		return "", nil, typus.Errorf(typus.Invalid, "the file cannot be read").WithCause(err)
	}
	return path.Base(strings.ReplaceAll(header.Filename, `\`, "/")), body, nil
}

// uploadAgain shows the form again with what is wrong with the file, or if that is nothing,
// with its position.
func (f *face) uploadAgain(v *visit, places []typus.Position, fault string, pairs ...any) error {
	view, err := f.importView(v, places)
	if err != nil {
		return err
	}
	view.Switch.None = true
	fill(v, view.Form.fields()...)
	if fault == "" {
		view.Form.Place = f.otherPlace(v, places)
	} else {
		view.Form.File.Fault = f.say(v, fault, pairs...)
	}
	f.sum(&view.frame, v, view.Form.fields()...)
	return f.render(v, http.StatusUnprocessableEntity, view)
}
