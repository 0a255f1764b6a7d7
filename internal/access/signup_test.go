package access_test

import (
	"testing"

	"typus"
	"typus/internal/access"
	"typus/internal/auth"
	"typus/internal/store"
)

var founding = access.Founding{Company: "Neue GmbH", Email: "eva@example.com", Name: "Eva", Password: passphrase, KeepDays: 180, Zone: "Asia/Kathmandu"}

// signedUp is the token of the letter to who has signed up.
func signedUp(w *world, f access.Founding) string {
	w.Helper()
	w.Must(w.Access.SignUp(w.Ctx, f, office))
	var token string
	w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
		list, err := tx.Letters(w.Ctx, 0, 10)
		if err != nil || len(list) == 0 {
			return err
		}
		plain, err := w.Box.Open(list[0].Detail, list[0].DetailAAD())
		token = string(plain)
		return err
	}))
	return token
}

func TestWhoSignsUpNeedsTheLetterAndThePassword(t *testing.T) {
	run(t, func(w *world) {
		token := signedUp(w, founding)
		_, err := w.Access.ConfirmSignUp(w.Ctx, token, otherPassphrase, 5, office)
		w.WantKind(err, typus.Unauthorized)
		_, err = w.Access.ConfirmSignUp(w.Ctx, auth.NewSession(), passphrase, 5, office)
		w.WantKind(err, typus.NotFound)
		in, err := w.Access.ConfirmSignUp(w.Ctx, token, passphrase, 5, office)
		w.Must(err)
		a, err := w.Store.Account(w.Ctx, in.User.AccountID)
		w.Must(err)
		if in.User.Role != typus.RoleOwner || a.Name != "Neue GmbH" || a.Credits != 5 || a.KeepFinishedDays != 180 || a.Zone != "Asia/Kathmandu" || !visits(w, in) {
			w.Errorf("%+v founded %+v", in.User, a)
		}
		_, err = w.Access.ConfirmSignUp(w.Ctx, token, passphrase, 5, office)
		w.WantKind(err, typus.NotFound)
	})
}

func TestASignUpRunsOutAndTakesNoOthersLogin(t *testing.T) {
	run(t, func(w *world) {
		token := signedUp(w, founding)
		w.Later(typus.SignUpLinkLife)
		_, err := w.Access.ConfirmSignUp(w.Ctx, token, passphrase, 5, office)
		w.WantKind(err, typus.NotFound)

		token = signedUp(w, founding) // the answer is the same with a login of that address
		user(w, founding.Email, typus.RoleMember)
		_, err = w.Access.ConfirmSignUp(w.Ctx, token, passphrase, 5, office)
		w.WantKind(err, typus.Conflict)
	})
}
