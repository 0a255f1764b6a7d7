package dashboard

import (
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"

	"typus"
	"typus/internal/instrument"
)

func rolePath(key string) string     { return rolesPath + "/" + key }
func roleEditPath(key string) string { return rolePath(key) + "/bearbeiten" }
func roundPath(key string) string    { return rolePath(key) + "/fachleute" }

// roleRow is one role profile in the list.
type roleRow struct {
	Key, Name, Path string
	Own             bool
	Ready           bool // somebody has signed it
	Archived        bool // it is not offered any more
	State           roleState
}

// roleState is who has confirmed a role profile.
type roleState struct {
	Basis   typus.RoleBasis // "": nobody
	By      string
	At      time.Time
	Version int
	Raters  int
}

// rolesView lists the role profiles.
type rolesView struct {
	frame
	Own, Archived, Test []roleRow
}

// Template names the page.
func (rolesView) Template() string { return "roles" }

// roleView is the page of one role profile.
type roleView struct {
	frame
	roleRow
	Test     string // name and version of the test that brings it along, "" for an own one
	Base     roleRow
	Picture  rolePicture
	Versions []roleVersionRow // of an own one, newest first
	Old      bool             // it is not the newest version that is shown
	Reason   string
	Grounds  []roleGround
}

// Template names the page.
func (roleView) Template() string { return "role" }

// roleVersionRow is one version among others.
type roleVersionRow struct {
	roleState
	Path     string
	Analysis string // address of its requirement analysis
	Reason   string
	Here     bool
}

// roleGround says why a dimension is as it is.
type roleGround struct{ Name, Zone, Upper string }

// rolePicture shows the zones of a profile on the scale of the scores, each as high as
// its weight.
type rolePicture struct {
	Height float64 // in em
	Rows   []rolePictureRow
}

// rolePictureRow is one dimension. Places are in percent of the width and in em from the top.
type rolePictureRow struct {
	Name              string
	Weight, Low, High int
	Words             float64
	X, Width          float64
	Y, Tall           float64
	Open              bool // nothing is too much
}

// The picture of a role profile, in em.
const (
	roleRowTall   = 4.0
	roleWordsTall = 1.75
	roleThinnest  = 0.25
	roleThickest  = 2.0
)

// pictureOf draws a role profile.
func pictureOf(in *instrument.Instrument, role instrument.Role, lang string) rolePicture {
	p := rolePicture{Height: roleRowTall * float64(len(role.Zones))}
	heaviest := 0.0
	for _, z := range role.Zones {
		heaviest = max(heaviest, z.Weight)
	}
	for i, z := range role.Zones {
		top := float64(i)*roleRowTall + roleWordsTall
		tall := roleThinnest
		if heaviest > 0 {
			tall += (roleThickest - roleThinnest) * z.Weight / heaviest
		}
		p.Rows = append(p.Rows, rolePictureRow{
			Name: inWords(in.DimensionName(lang, z.Dimension), z.Dimension), Weight: percent(z.Weight), Low: int(z.Low), High: int(z.High),
			Words: top, X: z.Low, Width: z.High - z.Low, Y: top + (roleRowTall-roleWordsTall-tall)/2, Tall: tall, Open: z.High >= 100,
		})
	}
	return p
}

// percent is a weight in whole percent, as weights are given.
func percent(weight float64) int { return int(100*weight + 0.5) }

// roleSnapshot reads what a version asks for. Internal: it is damaged.
func roleSnapshot(v typus.RoleVersion) (instrument.Role, error) {
	var r instrument.Role
	if err := json.Unmarshal(v.Profile, &r); err != nil {
		return r, typus.Errorf(typus.Internal, "a role profile cannot be read").WithCause(err)
	}
	return r, nil
}

func roleStateOf(v typus.RoleVersion) roleState {
	s := roleState{Basis: v.Basis, By: v.SignedBy, At: v.SignedAt, Version: v.Version}
	if r, err := roleSnapshot(v); err == nil {
		s.Raters = r.Confirmed.Raters
	}
	return s
}

func ownRoleRow(p typus.RoleProfile) roleRow {
	row := roleRow{Key: p.Key(), Name: p.Name, Path: rolePath(p.Key()), Own: true, Ready: p.Version.Version > 0, Archived: !p.ArchivedAt.IsZero()}
	if row.Ready {
		row.State = roleStateOf(p.Version)
	}
	return row
}

// ownRoleRows are those that are offered, or will be, and those that are archived.
func ownRoleRows(own []typus.RoleProfile) ([]roleRow, []roleRow) {
	var offered, archived []roleRow
	for _, p := range own {
		if row := ownRoleRow(p); row.Archived {
			archived = append(archived, row)
		} else {
			offered = append(offered, row)
		}
	}
	return offered, archived
}

func (f *face) testRoleRow(v *visit, r instrument.Role) roleRow {
	return roleRow{Key: r.Key, Name: f.Instrument.Called(v.lang, r), Path: rolePath(r.Key), Ready: true, State: roleState{Version: r.Version}}
}

// roleProfiles lists the account's own role profiles, and those of the test.
func (f *face) roleProfiles(v *visit) error {
	own, err := f.Store.RoleProfiles(v.Context(), v.Account.ID)
	if err != nil {
		return err
	}
	view := rolesView{frame: f.settingsFrame(v, sectionRoles)}
	view.Own, view.Archived = ownRoleRows(own)
	for _, r := range f.Instrument.Roles() {
		view.Test = append(view.Test, f.testRoleRow(v, r))
	}
	return f.render(v, http.StatusOK, view)
}

// roleProfile is the page of a role profile: of the test, or of the account.
func (f *face) roleProfile(v *visit) error {
	key := v.PathValue("profil")
	if role, known := f.Instrument.Role(key); known {
		return f.render(v, http.StatusOK, f.testRoleView(v, f.roleFrame(v), role))
	}
	p, err := f.ownRole(v, key)
	if err != nil {
		return err
	}
	versions, shown, err := f.versionsOf(v, p)
	if err != nil {
		return err
	}
	view, err := f.ownRoleView(v, f.roleFrame(v), p, versions, shown)
	if err != nil {
		return err
	}
	return f.render(v, http.StatusOK, view)
}

// versionsOf are all versions of an own role profile, and the one whose number stands in the
// address, else the newest. NotFound.
func (f *face) versionsOf(v *visit, p typus.RoleProfile) ([]typus.RoleVersion, typus.RoleVersion, error) {
	versions, err := f.Store.RoleVersions(v.Context(), v.Account.ID, p.ID)
	if err != nil {
		return nil, typus.RoleVersion{}, err
	}
	shown := p.Version
	if n, err := strconv.Atoi(v.URL.Query().Get("version")); err == nil {
		i := slices.IndexFunc(versions, func(old typus.RoleVersion) bool { return old.Version == n })
		if i < 0 {
			return nil, shown, typus.Errorf(typus.NotFound, "there is no such version")
		}
		shown = versions[i]
	}
	return versions, shown, nil
}

func (f *face) roleFrame(v *visit) frame {
	fr := f.settingsFrame(v, sectionRoles)
	fr.Crumbs = []crumb{{Label: "roles.title", Path: rolesPath}}
	return fr
}

// ownRole is the own role profile of a key. NotFound.
func (f *face) ownRole(v *visit, key string) (typus.RoleProfile, error) {
	id, own := typus.OwnRoleID(key)
	if !own {
		return typus.RoleProfile{}, typus.Errorf(typus.NotFound, "there is no role profile %q", key)
	}
	return f.Store.RoleProfile(v.Context(), v.Account.ID, id)
}

func versionQuery(v typus.RoleVersion) string { return "?version=" + strconv.Itoa(v.Version) }

func (f *face) testRoleView(v *visit, fr frame, role instrument.Role) roleView {
	return roleView{frame: fr, roleRow: f.testRoleRow(v, role), Test: f.Instrument.Ref(), Picture: pictureOf(f.Instrument, role, v.lang)}
}

// ownRoleView shows one version of an own role profile; none of one that has none yet.
func (f *face) ownRoleView(v *visit, fr frame, p typus.RoleProfile, versions []typus.RoleVersion, shown typus.RoleVersion) (roleView, error) {
	view := roleView{frame: fr, roleRow: ownRoleRow(p)}
	if base, known := f.Instrument.Role(p.Base); known {
		view.Base = f.testRoleRow(v, base)
	}
	if shown.Version == 0 {
		return view, nil
	}
	role, err := roleSnapshot(shown)
	if err != nil {
		return view, err
	}
	view.Name, view.State, view.Reason = role.Name, roleStateOf(shown), shown.Reason
	view.Old, view.Picture = shown.Version != p.Version.Version, pictureOf(f.Instrument, role, v.lang)
	for _, z := range role.Zones {
		if g := (roleGround{inWords(f.Instrument.DimensionName(v.lang, z.Dimension), z.Dimension), shown.Grounds.Zones[z.Dimension], shown.Grounds.Uppers[z.Dimension]}); g.Zone+g.Upper != "" {
			view.Grounds = append(view.Grounds, g)
		}
	}
	for _, old := range versions {
		view.Versions = append(view.Versions, roleVersionRow{
			roleState: roleStateOf(old), Path: view.Path + versionQuery(old), Analysis: view.Path + "/analyse" + versionQuery(old),
			Reason: old.Reason, Here: old.Version == shown.Version,
		})
	}
	return view, nil
}
