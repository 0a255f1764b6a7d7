//go:build !dev

package page

import "io/fs"

// Live says that pages are made of files that change; builds with the tag dev do so.
const Live = false

// Source is where a package has its templates, texts and static files: in the program. A
// build with the tag dev reads them below directory, which is named from the repository's root.
func Source(embedded fs.FS, _ string) fs.FS { return embedded }
