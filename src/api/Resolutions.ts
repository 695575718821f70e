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
  "The numbering ranges of invoices, which the tax authority grants, and of notes.",
  postOnce("createResolution", "/v1/resolutions", {
    payload: ResolutionRequest,
    success: created(Resolution),
    summary: "Register a numbering range that the tax authority granted, or one of notes",
    description:
      "Documents take their numbers from the ranges of the account, without gaps. A range of notes is `document_type`, `prefix` and, to go on where another system stopped, `next_number`. Two ranges that could print the same full number, prefix and number together, are refused with 409.",
    handling: { checkedAs: "resolution" }
  }),
  postOnce("importResolutions", "/v1/resolutions/import", {
    success: ResolutionImport,
    summary: "Import the numbering ranges of the issuer from the tax authority",
    description:
      "Only with a live key. Asks the tax authority for the ranges of the issuer and registers those that are new. A range of which another system used a part has to be registered with POST /v1/resolutions and `next_number` instead."
  }),
  get("listResolutions", "/v1/resolutions", {
    query: ResolutionQuery,
    success: Page(Resolution, "ResolutionPage"),
    summary: "List numbering ranges, newest first",
    description: `With document_type, those of one kind of document. ${nextPage}`
  }),
  get("retrieveResolution", item, {
    params,
    success: Resolution,
    summary: "Retrieve a numbering range",
    description: "`remaining` is the count of numbers that were not given yet."
  }),
  patch("updateResolution", item, {
    ...update,
    summary: "Activate or deactivate a numbering range, or extend its validity",
    description:
      "`is_active` and, for a range of invoices, `valid_to` can be changed. Prefix and numbers of a range never change, because documents carry them."
  }),
  post("updateResolutionByPost", item, {
    ...update,
    summary: "Change a range: the same as PATCH",
    description: insteadOfPatch
  })
) {}
