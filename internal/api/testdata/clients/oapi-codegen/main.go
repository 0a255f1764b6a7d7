// Does the main job with the client that oapi-codegen makes of openapi.yaml.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"

	"clients/oapi-codegen/api"
)

func main() {
	c, err := api.NewClientWithResponses(os.Args[1], api.WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
		r.Header.Set("Authorization", "Bearer "+os.Args[2])
		return nil
	}))
	check(err)
	ctx := context.Background()

	invited, err := c.CreateInviteWithResponse(ctx, nil, api.Invite{
		Name: "Jana Müller", Email: "jana.mueller@example.com", ExternalId: new("oapi-codegen"), SendEmail: new(false), Language: new(api.InviteLanguageEn),
	})
	check(err)
	listed, err := c.ListCandidatesWithResponse(ctx, &api.ListCandidatesParams{Status: new(api.Offen), ExternalId: new("oapi-codegen"), Limit: new(1)})
	check(err)
	read, err := c.ReadCandidateWithResponse(ctx, "oapi-codegen", &api.ReadCandidateParams{By: new(api.ExternalId), Include: new(api.ReadCandidateParamsIncludeExtra)})
	check(err)
	finished, err := c.ReadCandidateWithResponse(ctx, "finished", nil)
	check(err)
	refused, err := c.CreateInviteWithResponse(ctx, nil, api.Invite{Name: "", Email: "nobody"})
	check(err)

	fmt.Println(invited.JSON201.InviteUrl, listed.JSON200.Candidates[0].Id, read.JSON200.Extra.InviteUrl, finished.JSON200.Scores.Overall,
		refused.JSON400.Code, refused.JSON400.Errors[0].Field, refused.JSON400.Errors[1].Field)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
