package store

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"typus/internal/db"
)

// Bounds of the index of words. A word is found by its first wordBytes; the rest
// is compared with candidates.words.
const (
	wordBytes     = 64
	wordsEach     = 48 // of one candidate
	wordsAsked    = 5  // of one search, and parts of words that are looked up for it; more would only ask for the same people again
	partsAsked    = 8  // of one word, from among which those are chosen
	endingLetters = 3  // of a domain's ending that is not indexed
	indexBatch    = 500
	wordBetween   = " " // no word holds white space
)

// candidateWords are the words that a candidate is found by, each once: those of
// the name, with marks and without, of the e-mail address, its domain and the domains
// above that, and of the external_id, whole and in parts. What ends a domain is not
// among them: half of all people would be found by it.
func candidateWords(name, email, externalID string) []string {
	var words []string
	add := func(list ...string) {
		for _, w := range list {
			w = strings.TrimFunc(w, parts)
			if w != "" && len(words) < wordsEach && !slices.Contains(words, w) {
				words = append(words, w)
			}
		}
	}
	name, email, externalID = plain(name), plain(email), plain(externalID)
	for _, text := range []string{name, email, externalID} {
		add(strings.Fields(text)...)
	}
	add(domains(email)...)
	for _, text := range []string{name, withoutEnding(email), externalID} {
		add(strings.FieldsFunc(text, parts)...)
	}
	add(strings.Fields(unmarked(name))...)
	add(strings.FieldsFunc(unmarked(name), parts)...)
	return words
}

// domains are the domain of an address and those above it that are not mere endings.
func domains(email string) []string {
	var list []string
	_, domain, _ := strings.Cut(email, "@")
	for strings.Contains(domain, ".") {
		list = append(list, domain)
		_, domain, _ = strings.Cut(domain, ".")
	}
	return list
}

// withoutEnding leaves out what may be the ending of a domain, or the beginning of one.
func withoutEnding(text string) string {
	if at := strings.LastIndexByte(text, '.'); at > 0 && utf8.RuneCountInString(text[at+1:]) <= endingLetters {
		return text[:at]
	}
	return text
}

// plain is how a text is compared: NFC, without case.
func plain(text string) string {
	return norm.NFC.String(strings.ToLower(norm.NFC.String(strings.ToValidUTF8(text, ""))))
}

// unmarked leaves the letters without their marks.
func unmarked(text string) string {
	letters := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFD.String(text))
	return norm.NFC.String(strings.ReplaceAll(letters, "ß", "ss"))
}

// parts reports whether a text is taken apart at r.
func parts(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) }

// nameKey is what candidates are sorted by name with, in both databases alike.
func nameKey(name string) []byte { return []byte(unmarked(plain(name))) }

// stem is the part of a word that the index holds.
func stem(word string) []byte {
	if len(word) <= wordBytes {
		return []byte(word)
	}
	end := wordBytes
	for !utf8.RuneStart(word[end]) {
		end--
	}
	return []byte(word[:end])
}

// after is the first value behind all that begin with prefix. UTF-8 has no byte
// 0xff, so the last byte can always grow.
func after(prefix []byte) []byte {
	end := slices.Clone(prefix)
	end[len(end)-1]++
	return end
}

// joined is how candidates.words holds them: a space before each.
func joined(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return wordBetween + strings.Join(words, wordBetween)
}

// keys are the rows of candidate_words that belong to candidates.words: those words that
// cannot be taken apart. The others are found by their parts.
func keys(joined string) [][]byte {
	return stems(slices.DeleteFunc(strings.Fields(joined), func(w string) bool { return strings.ContainsFunc(w, parts) }))
}

// stems are the words as rows of candidate_words hold them, each once.
func stems(words []string) [][]byte {
	var list [][]byte
	for _, w := range words {
		if s := stem(w); !holds(list, s) {
			list = append(list, s)
		}
	}
	return list
}

func holds(list [][]byte, word []byte) bool {
	return slices.ContainsFunc(list, func(have []byte) bool { return string(have) == string(word) })
}

// search is what somebody looks for, ready for the statements.
type search struct {
	keys     [][]byte           // up to wordsAsked, as the index holds them
	more     bool               // the words ask for more than that
	patterns [wordsAsked]string // the whole words, for like; '%' where there are fewer
}

// asked reads a search. It reports false when nothing can be found: a text that
// no candidate can hold, or one without a letter and a number.
func asked(text string) (search, bool) {
	if !db.Storable(text) {
		return search{}, false
	}
	var words, lookups []string
	for _, w := range strings.Fields(plain(text)) {
		if w = strings.TrimFunc(w, parts); w != "" {
			words = append(words, w)
		}
	}
	words = longest(words)
	var s search
	escape := strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)
	for i := range s.patterns {
		s.patterns[i] = "%"
		if i < len(words) {
			some := strings.FieldsFunc(withoutEnding(words[i]), parts)
			lookups = append(lookups, some[:min(len(some), partsAsked)]...)
			s.more = s.more || some[0] != words[i] || len(words[i]) > wordBytes
			s.patterns[i] = "%" + wordBetween + escape.Replace(words[i]) + "%"
		}
	}
	s.keys = stems(longest(lookups))
	return s, len(words) > 0
}

// longest are up to wordsAsked words, each once, the longest first: they find the fewest.
func longest(words []string) []string {
	slices.SortFunc(words, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	words = slices.Compact(words)
	return words[:min(len(words), wordsAsked)]
}

// candidateWord is a row of candidate_words.
type candidateWord struct {
	accountID, candidateID int64
	word                   []byte
}

func (t *Tx) addWords(ctx context.Context, list []candidateWord) error {
	return db.InsertAll(ctx, t.db, `insert into candidate_words (account_id, candidate_id, word) values `, list,
		func(w candidateWord) []any { return []any{w.accountID, w.candidateID, w.word} })
}

// described is what a candidate's words are made of, and what they are now.
type described struct {
	id, accountID           int64
	name, email, externalID string
	words                   string
	scores                  []byte
}

const describedColumns = `id, account_id, name, email, coalesce(external_id, ''), words, scores`

func scanDescribed(row db.Row) (described, error) {
	var d described
	err := row.Scan(&d.id, &d.accountID, &d.name, &d.email, &d.externalID, &d.words, &d.scores)
	return d, err
}

// describe makes the rows of candidate_words those of d's name, address and
// external_id, and returns candidates.words.
func (t *Tx) describe(ctx context.Context, d described) (string, error) {
	words := joined(candidateWords(d.name, d.email, d.externalID))
	had, has := keys(d.words), keys(words)
	for _, w := range stems(strings.Fields(d.words)) { // an earlier version made a row of every word
		if !holds(has, w) {
			if err := t.dropWord(ctx, d.accountID, d.id, w); err != nil {
				return "", err
			}
		}
	}
	var added []candidateWord
	for _, w := range has {
		if !holds(had, w) {
			added = append(added, candidateWord{d.accountID, d.id, w})
		}
	}
	return words, t.addWords(ctx, added)
}

func (t *Tx) dropWord(ctx context.Context, accountID, candidateID int64, word []byte) error {
	_, err := t.db.Exec(ctx, `delete from candidate_words where account_id = $1 and word = $2 and candidate_id = $3`, accountID, word, candidateID)
	return err
}

// IndexCandidates writes the words, the sort key and the overall score of
// candidates that an earlier version stored without them or otherwise, up to 500, and says how
// many those were.
func (t *Tx) IndexCandidates(ctx context.Context) (int, error) {
	list, err := db.All(ctx, t, scanDescribed, `
		select `+describedColumns+` from candidates where name_key is null order by id limit $1`+t.db.LockRows(), indexBatch)
	if err != nil {
		return 0, err
	}
	for _, d := range list {
		words, err := t.describe(ctx, d)
		if err != nil {
			return 0, err
		}
		var overall any
		if d.scores != nil {
			s, err := decodeScores(d.scores)
			if err != nil {
				return 0, err
			}
			overall = sortedBy(*s)
		}
		_, err = t.db.Exec(ctx, `update candidates set name_key = $1, words = $2, overall = $3 where account_id = $4 and id = $5`,
			nameKey(d.name), words, overall, d.accountID, d.id)
		if err != nil {
			return 0, err
		}
	}
	return len(list), nil
}

// RenameCandidate stores the name that a repeated invitation gave. NotFound.
func (t *Tx) RenameCandidate(ctx context.Context, accountID, id int64, name string) error {
	d, err := db.One(ctx, t, scanDescribed, noCandidate,
		`select `+describedColumns+` from candidates where account_id = $1 and id = $2 and erased_at is null`, accountID, id)
	if err != nil {
		return err
	}
	d.name = name
	return t.correct(ctx, d)
}

// CorrectCandidate stores another name and e-mail address; openRef, "" for none,
// replaces that of an invitation which can be repeated. NotFound. Conflict:
// another invitation holds openRef; the transaction is lost.
func (t *Tx) CorrectCandidate(ctx context.Context, accountID, id int64, name, email, openRef string) error {
	d, err := db.One(ctx, t, scanDescribed, noCandidate,
		`select `+describedColumns+` from candidates where account_id = $1 and id = $2 and erased_at is null`, accountID, id)
	if err != nil {
		return err
	}
	d.name, d.email = name, email
	if err := t.correct(ctx, d); err != nil {
		return err
	}
	return t.db.Must(ctx, noCandidate, `
		update candidates set open_ref = case when open_ref is null then null else $1 end where account_id = $2 and id = $3`,
		db.TextOrNull(openRef), accountID, id)
}

func (t *Tx) correct(ctx context.Context, d described) error {
	words, err := t.describe(ctx, d)
	if err != nil {
		return err
	}
	return t.db.Must(ctx, noCandidate, `
		update candidates set name = $1, email = $2, email_key = $3, name_key = $4, words = $5 where account_id = $6 and id = $7`,
		d.name, d.email, emailKey(d.email), nameKey(d.name), words, d.accountID, d.id)
}

// SetOpenRef makes an invitation repeatable again, once it is extended.
// NotFound. Conflict: another invitation holds openRef; the transaction is lost.
func (t *Tx) SetOpenRef(ctx context.Context, accountID, id int64, openRef string) error {
	return t.db.Must(ctx, noCandidate, `update candidates set open_ref = $1 where account_id = $2 and id = $3`, openRef, accountID, id)
}
