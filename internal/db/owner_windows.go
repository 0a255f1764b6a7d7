package db

import "os"

func giveToOwner(*os.File, string) {}
