import { Page } from "../../schemas/Page.ts"
import {
  Resolution,
  ResolutionImport,
  ResolutionQuery,
  ResolutionRequest,
  ResolutionUpdate
} from "../../schemas/Resolution.ts"
import { created, get, group, insteadOfPatch, nextPage, params, patch, post, postOnce } from "./Endpoint.ts"

const item = "/v1/resolutions/:id"
const update = { params, payload: ResolutionUpdate, success: Resolution }

export class ResolutionsApi extends group(
  "resolutions",
  "Resolutions",
  "Numbering ranges for invoices, which the tax authority grants, and for notes.",
  postOnce("createResolution", "/v1/resolutions", {
    payload: ResolutionRequest,
    success: created(Resolution),
    summary: "Create a numbering range",
    description:
      "Registers a numbering range: for invoices, as the tax authority granted it, or for notes. Folio assigns numbers from the ranges of the account without gaps. For a range of notes, send `document_type`, `prefix` and, to continue after another system, `next_number`. If the range could produce the same full number (prefix and number) as another range, Folio returns 409.",
    handling: { checkedAs: "resolution" }
  }),
  postOnce("importResolutions", "/v1/resolutions/import", {
    success: ResolutionImport,
    summary: "Import numbering ranges",
    description:
      "Gets the issuer's ranges from the tax authority and registers the new ranges. Requires a live key. If another system has used a part of a range, register the range with POST /v1/resolutions and `next_number` instead."
  }),
  get("listResolutions", "/v1/resolutions", {
    query: ResolutionQuery,
    success: Page(Resolution, "ResolutionPage"),
    summary: "List numbering ranges",
    description: `Lists numbering ranges, newest first. Use \`document_type\` to list the ranges of one document type. ${nextPage}`
  }),
  get("retrieveResolution", item, {
    params,
    success: Resolution,
    summary: "Retrieve a numbering range",
    description: "Returns a numbering range. `remaining` is the count of numbers that are left."
  }),
  patch("updateResolution", item, {
    ...update,
    summary: "Update a numbering range",
    description:
      "Activates or deactivates a numbering range with `is_active`, or extends the validity of a range for invoices with `valid_to`. The prefix and the numbers of a range never change, because documents contain them."
  }),
  post("updateResolutionByPost", item, {
    ...update,
    summary: "Update a range (POST)",
    description: insteadOfPatch
  })
) {}
