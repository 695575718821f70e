import { resolutionBody } from "../../support/apps/Invoices.ts"
import { get, patch, post, refused } from "./Refused.ts"

const resolution = (change: Record<string, unknown>) => post("/v1/resolutions", resolutionBody(change))
const recovery = (body: unknown) => post("/v1/webhook-endpoints/we_01k0000000000000000000000a/recover", body)

/** The faults of numbering ranges, and of an endpoint's recoveries. */
export const badResolutions = [
  ...refused("parameter_missing", [
    ["no number", resolution({ number: undefined }), /required/, "number"],
    ["a missing technical key", resolution({ technical_key: undefined }), /required/, "technical_key"],
    ["a recovery without a body", recovery(undefined), /required/, "body"],
    ["a recovery without a start", recovery({}), /required/, "since"]
  ]),
  ...refused("parameter_conflict", [
    ["a grant for notes", resolution({ document_type: "credit_note" }), /Remove number/, "number"]
  ]),
  ...refused("parameter_unknown", [
    ["is_active at registration", resolution({ is_active: false }), /not known/, "is_active"],
    [
      "a change of a field that issued documents show",
      patch("/v1/resolutions/res_1", { prefix: "A" }),
      /^prefix must be omitted: it cannot be changed\.$/,
      "prefix"
    ],
    ["a counter set back", patch("/v1/resolutions/res_1", { next_number: 1 }), /cannot be changed/, "next_number"]
  ]),
  ...refused("parameter_invalid", [
    ["letters for a number", resolution({ number: "A1" }), /1 to 20 digits/, "number"],
    ["a prefix of five characters", resolution({ prefix: "ABCDE" }), /at most 4/, "prefix"],
    ["a prefix in small letters", resolution({ prefix: "fe" }), /capital letters/, "prefix"],
    ["a range from zero", resolution({ from_number: 0 }), /from 1 to/, "from_number"],
    ["a range beyond ten digits", resolution({ to_number: 1e10 }), /from 1 to/, "to_number"],
    ["half a number", resolution({ from_number: 1.5 }), /whole number/, "from_number"],
    ["a text for a number", resolution({ from_number: "1" }), /must be a number/, "from_number"],
    [
      "a range whose end comes before its start",
      resolution({ from_number: 2, to_number: 1 }),
      /not be less than from_number, 2/,
      "to_number"
    ],
    ["an end before the beginning", resolution({ valid_to: "2025-12-31" }), /not be before/, "valid_to"],
    ["a date that does not exist", resolution({ valid_from: "2026-02-30" }), /exists in the calendar/, "valid_from"],
    ["a key of 39 digits", resolution({ technical_key: "a".repeat(39) }), /40 hex digits/, "technical_key"],
    ["a beginning outside the range", resolution({ next_number: 1001 }), /from 1 to 1000/, "next_number"],
    ["a range for receipts", resolution({ document_type: "receipt" }), /one of invoice, credit_note/, "document_type"],
    [
      "a list of receipts",
      get("/v1/resolutions?document_type=receipt"),
      /one of invoice, credit_note/,
      "document_type"
    ],
    ["a recovery since a date", recovery({ since: "2026-11-21" }), /time with its offset/, "since"],
    [
      "a recovery since tomorrow",
      recovery({ since: new Date(Date.now() + 86_400_000).toISOString() }),
      /in the past/,
      "since"
    ]
  ])
]
