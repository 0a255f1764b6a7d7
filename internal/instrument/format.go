package instrument

// The files of an instrument directory. omitempty marks what a file may leave out; every
// other field must be there.

// The values that a format of version 1 knows.
const (
	formatSchema   = "instrument/1"
	roleDimension  = "dimension"
	roleHint       = "hint"
	keyedPlus      = "plus"
	keyedMinus     = "minus"
	kindSynonym    = "synonym"
	kindAntonym    = "antonym"
	missingMean    = "mean"
	orderFixed     = "fixed"
	centreMean     = "person_mean"
	maxPoints      = 11
	maxText        = 160 // characters of an item
	maxFile        = 1 << 20
	definitionFile = "instrument.yaml"
	releaseFile    = "RELEASE"
)

// definition is instrument.yaml.
type definition struct {
	Schema         string              `yaml:"schema"`
	ID             string              `yaml:"id"`
	Version        string              `yaml:"version"`
	Title          map[string]string   `yaml:"title,omitempty"`
	License        string              `yaml:"license,omitempty"`
	SourceLanguage string              `yaml:"source_language,omitempty"`
	Languages      []string            `yaml:"languages,omitempty"`
	Scale          answerScale         `yaml:"scale"`
	ItemTypes      map[string]struct{} `yaml:"item_types,omitempty"`
	Scales         []scaleDef          `yaml:"scales"`
	Items          []itemDef           `yaml:"items"`
	Order          *orderDef           `yaml:"order,omitempty"` // default: as the items stand
	Pairs          []pairDef           `yaml:"pairs,omitempty"`
	Quality        *quality            `yaml:"quality,omitempty"`
	Warnings       []string            `yaml:"warnings,omitempty"` // in the order of a result; default: all that there are
	Careless       *carelessDef        `yaml:"careless,omitempty"` // default: every warning is a sign of carelessness
	Typology       *typologyDef        `yaml:"typology,omitempty"`
	Fit            *fitDef             `yaml:"fit,omitempty"`
	Scoring        *scoringDef         `yaml:"scoring,omitempty"`
}

// answerScale is what a person may answer: whole numbers from Min to Max.
type answerScale struct {
	Min       int    `yaml:"min"`
	Max       int    `yaml:"max"`
	LabelsKey string `yaml:"labels_key,omitempty"` // of the labels in the texts
}

type scaleDef struct {
	Key         string            `yaml:"key"`
	Name        map[string]string `yaml:"name,omitempty"`
	Role        string            `yaml:"role"`
	Parent      string            `yaml:"parent,omitempty"` // makes it a facet: its items count for the parent too
	MinAnswered int               `yaml:"min_answered"`
	Missing     string            `yaml:"missing"`
}

type itemDef struct {
	ID     string   `yaml:"id"`
	Type   ItemType `yaml:"type"`
	Scale  string   `yaml:"scale,omitempty"`
	Keyed  string   `yaml:"keyed,omitempty"`
	Expect int      `yaml:"expect,omitempty"`
}

type orderDef struct {
	Mode      string   `yaml:"mode"`
	BlockSize int      `yaml:"block_size,omitempty"` // scored items; 0: one block
	List      []string `yaml:"list"`
}

type pairDef struct {
	A    string `yaml:"a"`
	B    string `yaml:"b"`
	Kind string `yaml:"kind"`
}

// quality holds the thresholds of the warnings. MS are milliseconds, shares are parts of
// 1. The threshold of a warning that a version does not give is left out.
type quality struct {
	IncNotice             float64 `yaml:"inc_notice"`
	IncRatioNotice        float64 `yaml:"inc_ratio_notice"`
	IncCaution            float64 `yaml:"inc_caution"`
	IncRatioCaution       float64 `yaml:"inc_ratio_caution"`
	PairsMin              int     `yaml:"pairs_min"`
	RunNotice             int     `yaml:"run_notice"`
	RunCaution            int     `yaml:"run_caution"`
	IRVCaution            float64 `yaml:"irv_caution"`
	FastItemMS            int     `yaml:"fast_item_ms"`
	FastShareNotice       float64 `yaml:"fast_share_notice"`
	FastShareCaution      float64 `yaml:"fast_share_caution"`
	VeryFastMS            int     `yaml:"very_fast_ms"`
	VeryFastShareCaution  float64 `yaml:"very_fast_share_caution"`
	VeryFastShareDoubtful float64 `yaml:"very_fast_share_doubtful"`
	EvenOddLow            float64 `yaml:"even_odd_low"`
	PauseMS               int     `yaml:"pause_ms,omitempty"`
	IMNotice              float64 `yaml:"im_notice,omitempty"`
	ElevatedMeanZ         float64 `yaml:"elevated_mean_z"`
	ExtremeShare          float64 `yaml:"extreme_share,omitempty"`
	MidShare              float64 `yaml:"mid_share,omitempty"`
	Acq                   float64 `yaml:"acq,omitempty"`
	MissingShareNotice    float64 `yaml:"missing_share_notice"`
	StabilityAmbiguousPct int     `yaml:"stability_ambiguous_pct,omitempty"`
	NeitherAmbiguousPct   int     `yaml:"neither_ambiguous_pct,omitempty"`
}

// carelessDef names the warnings that count as evidence of carelessness, by the severity
// that they have.
type carelessDef struct {
	Caution []string `yaml:"caution"`
	Notice  []string `yaml:"notice"`
}

type typologyDef struct {
	Dimensions     []string     `yaml:"dimensions"`
	Centre         string       `yaml:"center"`
	Radius         float64      `yaml:"radius"` // length of a prototype, in standard deviations
	Types          []typeDef    `yaml:"types"`
	StabilityTable [][2]float64 `yaml:"stability_table,omitempty"` // one of the two
	StabilityDraws *drawsDef    `yaml:"stability_draws,omitempty"`
	Levels         levelsDef    `yaml:"levels"`
}

// drawsDef names the frozen standard normal values with which a second test is simulated.
// The digest stands here so that the hash of the version covers the file.
type drawsDef struct {
	File   string `yaml:"file"`
	SHA256 string `yaml:"sha256"`
}

type typeDef struct {
	Key   string    `yaml:"key"`
	Shape []float64 `yaml:"shape"`
}

// levelsDef is from which stability in percent a level holds.
type levelsDef struct {
	Clear       int `yaml:"clear"`
	Predominant int `yaml:"predominant"`
}

type fitDef struct {
	BorderlineSEM float64    `yaml:"borderline_sem"`
	Classes       []classDef `yaml:"classes"`
}

// classDef is a class of the overall score and the lowest score that reaches it.
type classDef struct {
	Key  string `yaml:"key"`
	From int    `yaml:"from"`
}

type scoringDef struct {
	Version int      `yaml:"version"`
	Score   scoreDef `yaml:"score"`
	Outputs []string `yaml:"outputs"`
}

type scoreDef struct {
	Mean float64    `yaml:"mean"`
	SD   float64    `yaml:"sd"`
	Clip [2]float64 `yaml:"clip"`
}

// itemTexts is texts/<language>.yaml: labels by scale, statements by item id.
type itemTexts struct {
	Language string              `yaml:"language"`
	Scales   map[string][]string `yaml:"scales,omitempty"`
	Items    map[string]string   `yaml:"items"`
}

// reportTexts is report/<language>.yaml: what results say.
type reportTexts struct {
	Language string                 `yaml:"language"`
	Personas map[string]personaText `yaml:"personas,omitempty"`
	Fit      map[string]string      `yaml:"fit,omitempty"`
	Warnings map[string]string      `yaml:"warnings,omitempty"`
}

type personaText struct {
	Name     string `yaml:"name"`
	Subtitle string `yaml:"subtitle"`
}

// normFile is norms/<id>.yaml.
type normFile struct {
	Norm         normHead                      `yaml:"norm"`
	Values       map[string]normDef            `yaml:"values"`                 // by dimension or facet
	Correlations map[string]map[string]float64 `yaml:"correlations,omitempty"` // of the true scores of the typology's dimensions
}

type normHead struct {
	ID         string            `yaml:"id"`
	Kind       string            `yaml:"kind"`
	Instrument string            `yaml:"instrument"` // id@major
	Language   string            `yaml:"language"`
	N          int               `yaml:"n"`
	Statement  map[string]string `yaml:"statement,omitempty"`
}

// normDef is mean, standard deviation and reliability of a dimension, the first two in
// POMP units.
type normDef struct {
	Mu    float64 `yaml:"mu"`
	Sigma float64 `yaml:"sigma"`
	Rel   float64 `yaml:"rel"`
}

// roleFile is roles/<key>@<version>.yaml.
type roleFile struct {
	Role roleDef `yaml:"role"`
}

type roleDef struct {
	Key     string             `yaml:"key"`
	Version int                `yaml:"version"`
	Name    map[string]string  `yaml:"name,omitempty"`
	Below   float64            `yaml:"below"`
	Zones   map[string]zoneDef `yaml:"zones"`
}

type zoneDef struct {
	W     float64 `yaml:"w"`
	Lo    float64 `yaml:"lo"`
	Hi    float64 `yaml:"hi"`
	Above float64 `yaml:"above"`
}
