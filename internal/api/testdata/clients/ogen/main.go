// Does the main job with the client that ogen makes of openapi.yaml.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"clients/ogen/api"
)

type key string

func (k key) ApiKey(context.Context, api.OperationName) (api.ApiKey, error) {
	return api.ApiKey{Token: string(k)}, nil
}

func main() {
	c, err := api.NewClient(os.Args[1], key(os.Args[2]))
	check(err)
	ctx := context.Background()

	invited, err := c.CreateInvite(ctx, &api.Invite{
		Name: "Jana Müller", Email: "jana.mueller@example.com", ExternalID: api.NewOptNilString("ogen"),
		SendEmail: api.NewOptNilBool(false), Language: api.NewOptNilInviteLanguage(api.InviteLanguageEn),
	}, api.CreateInviteParams{})
	check(err)
	listed, err := c.ListCandidates(ctx, api.ListCandidatesParams{
		Status: api.NewOptStatus(api.StatusOffen), ExternalID: api.NewOptString("ogen"), Limit: api.NewOptInt(1),
	})
	check(err)
	read, err := c.ReadCandidate(ctx, api.ReadCandidateParams{
		ID: "ogen", By: api.NewOptReadCandidateBy(api.ReadCandidateByExternalID), Include: api.NewOptInclude(api.IncludeExtra),
	})
	check(err)
	finished, err := c.ReadCandidate(ctx, api.ReadCandidateParams{ID: "finished"})
	check(err)
	refused, err := c.CreateInvite(ctx, &api.Invite{Name: "", Email: "nobody"}, api.CreateInviteParams{})
	check(err)

	extra, _ := read.(*api.CandidateHeaders).Response.Extra.Get()
	scores, _ := finished.(*api.CandidateHeaders).Response.Scores.Get()
	problem := refused.(*api.CreateInviteApplicationJSONBadRequest).Response
	fmt.Println(invited.(*api.CreateInviteCreated).Response.InviteURL.String(), listed.(*api.CandidateListHeaders).Response.Candidates[0].ID,
		extra.InviteURL.String(), scores.Overall, problem.Code, problem.Errors[0].Field, problem.Errors[1].Field)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
