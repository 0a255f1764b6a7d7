// Does the main job with the types that openapi-typescript makes of openapi.yaml.
import createClient from "openapi-fetch";
import type { components, paths } from "./api";

const [baseUrl, key] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${key}` } });

// Nothing but name and email is required.
const least: components["schemas"]["Invite"] = { name: "", email: "nobody" };

const invited = await client.POST("/api/v1/invites", {
  body: { name: "Jana Müller", email: "jana.mueller@example.com", external_id: "openapi-typescript", send_email: false, language: "en" },
});
const listed = await client.GET("/api/v1/candidates", {
  params: { query: { status: "offen", external_id: "openapi-typescript", limit: 1 } },
});
const read = await client.GET("/api/v1/candidates/{id}", {
  params: { path: { id: "openapi-typescript" }, query: { by: "external_id", include: "extra" } },
});
const finished = await client.GET("/api/v1/candidates/{id}", { params: { path: { id: "finished" } } });
const refused = await client.POST("/api/v1/invites", { body: least });

console.log(invited.data?.invite_url, listed.data?.candidates[0]?.id, read.data?.extra?.invite_url, finished.data?.scores?.overall,
  refused.error?.code, refused.error?.errors[0]?.field, refused.error?.errors[1]?.field);
