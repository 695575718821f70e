import { bodyBytesMax } from "../../../src/runtime/Limits.ts"
import { customerBody, invoiceBody, noteBody, resolutionBody } from "../../support/apps/Invoices.ts"
import { keys } from "../../support/apps/Accounts.ts"
import { link, noKey } from "./links.ts"
import { customer, get, patch, post, refused, remove } from "./Refused.ts"
import { bearer } from "../../support/apps/Requests.ts"

const basic = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`
const token = (authorization: string | undefined) => get("/v1/account", { authorization })

const withKey = (key: string) => customer(customerBody(), { "idempotency-key": key })

const zeros = "0".repeat(26)

const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`

/** The faults that Folio finds before it decodes the body: bytes, headers, paths and queries. */
export const badRequests = [
  ...refused("malformed_json", [
    ["JSON cut off", customer("{"), /not valid JSON/],
    ["JSON with a comment", customer("{} // x"), /not valid JSON/],
    ["two JSON values", customer("{}{}"), /not valid JSON/],
    ["a repeated member", customer('{"a":1,"b":{},"a":1}'), /repeats the member name "a"/],
    ["a repeated member, written otherwise", customer('{"a":1,"\\u0061":1}'), /repeats/],
    ["33 levels", customer(nested(33)), /deeper than 32 levels/],
    ["__proto__", customer('{"__proto__":{"a":1}}'), /"__proto__"/],
    ["constructor, deep inside", customer('{"a":[{"constructor":1}]}'), /"constructor"/],
    ["prototype", customer('{"prototype":1}'), /"prototype"/],
    ["a byte order mark", customer(`\ufeff${JSON.stringify(customerBody())}`), /byte order mark/],
    ["bytes that are not UTF-8", customer(Buffer.from([0x22, 0xc3, 0x28, 0x22])), /not valid UTF-8/],
    ["UTF-16", customer(Buffer.from('{"a":1}', "utf16le")), /JSON|UTF-8/],
    ["half a surrogate pair", customer('{"a":"\\ud800"}'), /surrogate/],
    ["a number beyond a double", customer('{"a":1e999}'), /double/]
  ]),
  ...refused("request_too_large", [
    ["a body of 256 KiB and a byte", customer(" ".repeat(bodyBytesMax + 1)), /at most 256 KiB/],
    ["the same in chunks of unknown length", { ...customer(" ".repeat(bodyBytesMax + 1)), chunked: true }, /256 KiB/]
  ]),
  ...refused("unsupported_media_type", [
    ["text", customer("{}", { "content-type": "text/plain" }), /^Content-Type is "text\/plain".*application\/json/],
    ["JSON in utf8", customer("{}", { "content-type": "application/json;charset=utf8" }), /charset "utf8".*only utf-8/],
    [
      "JSON with a charset twice",
      customer("{}", { "content-type": "application/json; charset=utf-8; charset=utf-8" }),
      /has charset 2 times/
    ],
    [
      "JSON with the parameter of another protocol",
      customer("{}", { "content-type": "application/json;odata=verbose" }),
      /has the parameter "odata=verbose"/
    ],
    ["a form", customer("a=1", { "content-type": "application/x-www-form-urlencoded" }), /application\/json/],
    [
      "JSON in Latin-1",
      customer("{}", { "content-type": "application/json; charset=iso-8859-1" }),
      /the charset "iso-8859-1"/
    ],
    ["JSON in gzip", customer("{}", { "content-encoding": "gzip" }), /Content-Encoding "gzip".* without/],
    ["JSON in gzip, in chunks", { ...customer("{}", { "content-encoding": "br" }), chunked: true }, /Content-Encoding/],
    ["a body of no type", customer("{}", { "content-type": undefined }), /no Content-Type.*application\/json/]
  ]),
  ...(
    [
      ["Authorization", [`Bearer ${keys.test}`, `Bearer ${keys.test}`], "parameter_invalid"],
      ["Content-Type", ["application/json", "text/plain"], "parameter_invalid"],
      ["Idempotency-Key", ["of the client", "of its gateway"], "idempotency_key_invalid"],
      ["Origin", ["http://folio.test", "null"], "parameter_invalid"],
      ["Sec-Fetch-Dest", ["document", "document"], "parameter_invalid"],
      ["Sec-Fetch-Site", ["same-origin", "none"], "parameter_invalid"],
      ["Svc-Signature", ["t=1,v1=0", "t=2,v1=0"], "parameter_invalid"],
      ["Svc-Version", ["2026-01-01", "2026-01-01"], "unsupported_version"]
    ] as const
  ).flatMap(([name, values, code]) =>
    refused(code, [
      [
        `the header ${name} twice`,
        customer(customerBody(), { [name.toLowerCase()]: values }),
        new RegExp(`the header ${name} 2 times; send it once`),
        name
      ]
    ])
  ),
  ...refused("uri_too_long", [["a URL of more than 8 KiB", get(`/v1/account?${"x".repeat(8192)}`), /8 KiB/]]),
  ...refused("headers_too_large", [
    ["headers of more than 16 KiB", get("/v1/account", { "x-much": "y".repeat(16 * 1024) }), /16 KiB/]
  ]),
  ...refused("invalid_api_key", [
    ["no key", token(undefined), /has no API key/],
    ["an unknown key", token(`Bearer ${keys.unknown}`), /no such API key/],
    ["a revoked key", token(`Bearer ${keys.revoked}`), /was revoked/],
    ["a mistyped key", token(`Bearer ${keys.test.slice(0, -1)}x`), /checksum is wrong/],
    ["a key cut short", token(`Bearer ${keys.test.slice(0, -1)}`), /mistyped or not whole/],
    ["a key without Bearer", token(keys.test), /without a scheme/],
    ["a key as Basic with a password", token(basic(`${keys.test}:x`)), /password must be empty/],
    ["a user with a password", token(basic("somebody:secret")), /password must be empty/],
    ["a key as the password of Basic", token(basic(`:${keys.test}`)), /user name of Basic, not the password/],
    ["a key as the password of somebody", token(basic(`me:${keys.test}`)), /user name of Basic, not the password/],
    ["a key as Basic without its colon", token(basic(keys.test)), /base64/],
    ["a key after Basic as it is", token(`Basic ${keys.test}`), /base64/],
    ["an unknown key as Basic", token(basic(`${keys.unknown}:`)), /no such API key/],
    ["an empty user as Basic", token(basic(":")), /has no API key/],
    // As long as "Bearer ".
    ["a key as Digest", token(`Digest ${keys.test}`), /must begin with Bearer or Basic/],
    ["a key glued to Bearer", token(`Bearer${keys.test}`), /must begin with Bearer or Basic/],
    ["the secret of an endpoint", token(`Bearer whsec_${"A".repeat(44)}`), /signing secret of a webhook endpoint/],
    ["something else", token("Bearer pk_test_1"), /begins with sk_test_ or sk_live_/],
    ["an empty Authorization", token(""), /has no API key/]
  ]),
  ...refused("account_not_live", [
    [
      "the simulated authority with a live key",
      post("/v1/test-helpers/authority", { mode: "down" }, bearer(keys.live)),
      /needs a test key/
    ],
    [
      "a jump of the clock with a live key",
      post("/v1/test-helpers/advance", { seconds: 60 }, bearer(keys.live)),
      /needs a test key/
    ]
  ]),
  ...refused("link_invalid", [
    [
      "a link without its signature",
      get(link("inv_1").replace(/&signature=.*/, ""), noKey),
      /truncated or was changed/
    ],
    ["a link that was cut off", get(link("inv_1").slice(0, -1), noKey), /truncated or was changed/],
    ["a link to another document", get(link("inv_1").replace("inv_1", "inv_2"), noKey), /truncated or was changed/],
    ["a link to another file", get(link("inv_1").replace("/pdf", "/xml"), noKey), /truncated or was changed/],
    ["a link of the other mode", get(link("inv_1").replace("=test", "=live"), noKey), /truncated or was changed/],
    ["a link for longer", get(link("inv_1").replace(/expires=\d/, "expires=9"), noKey), /truncated or was changed/],
    ["a link of another key", get(link("inv_1", { key: 8 }), noKey), /truncated or was changed/],
    [
      "an old link that was changed",
      get(link("inv_1", { lasts: -1 }).replace("/pdf", "/xml"), noKey),
      /truncated or was changed/
    ]
  ]),
  ...refused("link_expired", [
    ["a link of a second ago", get(link("inv_1", { lasts: -1 }), noKey), /Retrieve the object again/],
    ["a link of last year", get(link("inv_1", { lasts: -365 * 86_400 }), noKey), /has expired/]
  ]),
  ...refused("unsupported_version", [
    ["an unknown version", get("/v1/account", { "svc-version": "2020-01-01" }), /2026-01-01/, "Svc-Version"],
    ["a malformed version", get("/v1/account", { "svc-version": "latest" }), /2026-01-01/, "Svc-Version"]
  ]),
  ...refused(
    "idempotency_key_missing",
    (
      [
        ["a customer", "/v1/customers", customerBody()],
        ["an invoice", "/v1/invoices", invoiceBody("cust_1")],
        ["a resolution", "/v1/resolutions", resolutionBody()],
        ["a note", "/v1/debit-notes", noteBody("inv_1")],
        ["an annulment", "/v1/invoices/inv_1/annul", { reason: "x" }]
      ] as const
    ).map(([what, path, body]) => [
      `no idempotency key for ${what}`,
      post(path, body, { "idempotency-key": undefined }),
      /needs the header Idempotency-Key/,
      "Idempotency-Key"
    ])
  ),
  ...refused("idempotency_key_missing", [
    ["an empty idempotency key", withKey(""), /needs the header/, "Idempotency-Key"]
  ]),
  ...refused("idempotency_key_too_long", [
    ["an idempotency key of 129 characters", withKey("k".repeat(129)), /at most 128/, "Idempotency-Key"]
  ]),
  ...refused("idempotency_key_invalid", [
    ["an idempotency key with an accent", withKey("café"), /printable ASCII/, "Idempotency-Key"],
    ["an idempotency key with a tab", withKey("a\tb"), /printable ASCII/, "Idempotency-Key"]
  ]),
  ...refused("route_not_found", [
    ["nothing there", get("/v1/nothing"), /nothing at \/v1\/nothing/],
    ["the root", get("/"), /\/docs/],
    ["capitals", get("/v1/Customers"), /nothing at/],
    ["a slash too many at the end", get("/v1/account/"), /\/v1\/account\/\. Remove the slash .*: \/v1\/account\.$/],
    ["a slash at the end of a list", get("/v1/customers/?limit=1"), /Remove the slash .*: \/v1\/customers\.$/],
    ["a slash at the end of a creation", post("/v1/invoices/", {}), /Remove the slash .*: \/v1\/invoices\.$/],
    [
      "a slash at the end of an item",
      remove("/v1/customers/cust_1/"),
      /Remove the slash .*: \/v1\/customers\/cust_1\.$/
    ],
    ["a slash at the end of nothing", get("/v1/nothing/"), /are listed at \/docs/],
    ["no id before a file", get("/v1/invoices//pdf"), /are listed at \/docs/],
    ["a slash too many inside", get("/v1//customers"), /are listed at \/docs/],
    ["a path that cannot be decoded", get("/v1/customers/%zz"), /nothing at/]
  ]),
  ...refused("method_not_allowed", [
    ["a wrong method", remove("/v1/customers"), /use GET, HEAD, POST/],
    [
      "a wrong method without a key",
      { method: "PUT", path: "/v1/account", headers: { authorization: undefined } },
      /use GET, HEAD/
    ],
    [
      "a wrong method on an item",
      { method: "PUT", path: "/v1/webhook-endpoints/we_1" },
      /use DELETE, GET, HEAD, PATCH, POST/
    ],
    ["a GET of a command", get("/v1/webhook-endpoints/we_1/rotate-secret"), /use POST/]
  ]),
  ...refused("resource_missing", [
    ["no such customer", get("/v1/customers/cust_1"), /no customer "cust_1"/],
    ["a change of a missing customer", patch("/v1/customers/cust_1", { legal_name: "x" }), /no customer "cust_1"/],
    ["a deletion of a missing customer", remove("/v1/customers/cust_1"), /no customer "cust_1"/],
    ["an id longer than any", get(`/v1/customers/${"x".repeat(80)}`), /no customer "x{64}"/],
    ["no such invoice", get("/v1/invoices/inv_1"), /no invoice "inv_1"/],
    ["the PDF of a missing invoice", get("/v1/invoices/inv_1/pdf"), /no invoice "inv_1"/],
    ["the XML of a missing invoice", get("/v1/invoices/inv_1/xml"), /no invoice "inv_1"/],
    ["a link to a missing document", get(link("inv_1"), noKey), /no invoice "inv_1"/],
    [
      "a link with what mail programs add",
      get(`${link("inv_1")}&utm_source=mail&utm_medium=&fbclid=x&gclid=y&mc_eid=z`, noKey),
      /no invoice "inv_1"/
    ],
    ["no such key", get("/v1/api-keys/key_1"), /no API key "key_1"/],
    ["a revocation of a missing key", remove("/v1/api-keys/key_1"), /no API key "key_1"/],
    ["no such endpoint", get("/v1/webhook-endpoints/we_1"), /no webhook endpoint "we_1"/],
    ["no such resolution", get("/v1/resolutions/res_1"), /no resolution "res_1"/],
    ["a change of a missing resolution", patch("/v1/resolutions/res_1", { is_active: true }), /no resolution "res_1"/],
    ["no such event", get("/v1/events/evt_1"), /no event "evt_1"/],
    ["deliveries of a missing event", get("/v1/events/evt_1/deliveries"), /no event "evt_1"/],
    ["deliveries of a missing endpoint", get("/v1/webhook-endpoints/we_1/deliveries"), /no webhook endpoint "we_1"/],
    ["no such delivery", get("/v1/webhook-deliveries/whd_1"), /no webhook delivery "whd_1"/],
    [
      "a redelivery of a missing delivery",
      post("/v1/webhook-deliveries/whd_1/redeliver"),
      /no webhook delivery "whd_1"/
    ],
    ["a test of a missing endpoint", post("/v1/webhook-endpoints/we_1/test"), /no webhook endpoint "we_1"/],
    [
      "a recovery of a missing endpoint",
      post("/v1/webhook-endpoints/we_1/recover", { since: "2026-01-01T00:00:00Z" }),
      /no webhook endpoint "we_1"/
    ],
    [
      "an invoice for a missing customer",
      post("/v1/invoices", invoiceBody("cust_1")),
      /no customer "cust_1"/,
      "customer_id"
    ],
    ["an id with U+0000", get("/v1/customers/%00"), /U\+0000/],
    ["an id with U+0000 of a command", post("/v1/webhook-endpoints/we%00_1/rotate-secret"), /U\+0000/],
    ["no such catalog", get("/v1/catalogs/monedas"), /no catalog "monedas".*medios-pago/],
    ["a catalog that every object has", get("/v1/catalogs/constructor"), /no catalog/],
    ["no such error page", get("/docs/errors/nope"), /no error code "nope"/],
    ["an error page that every object has", get("/docs/errors/toString"), /no error code/]
  ]),
  ...refused(
    "parameter_invalid",
    ["0", "101", "-1", "1.5", "abc", "", "1e1", "+1", "010"].map((limit) => [
      `limit ${JSON.stringify(limit)}`,
      get(`/v1/customers?limit=${encodeURIComponent(limit)}`),
      /whole number from 1 to 100/,
      "limit"
    ])
  ),
  ...refused("parameter_invalid", [
    ["a cursor with U+0000", get("/v1/invoices?limit=5&starting_after=a%00b"), /U\+0000/, "starting_after"],
    ["a limit with U+0000", get("/v1/invoices?limit=5%00"), /U\+0000/, "limit"]
  ]),
  ...refused("parameter_invalid", [["limit twice", get("/v1/customers?limit=1&limit=2"), /once/, "limit"]]),
  ...refused(
    "parameter_invalid",
    ["21", "-1", "1.5", "", "soon"].map((wait) => [
      `wait ${JSON.stringify(wait)}`,
      get(`/v1/events?wait=${wait}`),
      /seconds from 0 to 20/,
      "wait"
    ])
  ),
  ...refused(
    "parameter_invalid",
    [
      "2026-11-21",
      "1795273200",
      "2026-11-21T10:00:00",
      "2026-11-21T10Z",
      "2026-02-30T10:00:00Z",
      "2026-11-21T25:00:00Z"
    ].map((time) => [
      `created ${JSON.stringify(time)}`,
      get(`/v1/events?created[gte]=${time}`),
      /must be a time/,
      "created[gte]"
    ])
  ),
  ...refused(
    "parameter_invalid",
    ["/v1/events", "/v1/invoices", "/v1/requests"].map((path) => [
      `a + without its escape in the query of ${path}`,
      get(`${path}?created[gte]=2026-11-21T10:00:00+02:00`),
      /must have the \+ of its offset, which a URL writes as %2B/,
      "created[gte]"
    ])
  ),
  ...refused(
    "parameter_invalid",
    ["2026-11-21", "2026-02-30T10:00:00Z", ""].map((time) => [
      `invoices created ${JSON.stringify(time)}`,
      get(`/v1/invoices?created[lte]=${time}`),
      /must be a time/,
      "created[lte]"
    ])
  ),
  ...refused("parameter_invalid", [
    [
      "a status that no invoice has",
      get("/v1/invoices?status=queued"),
      /one of draft, accepted_by_authority/,
      "status"
    ],
    ["two statuses", get("/v1/invoices?status=draft&status=failed"), /status/, "status"],
    ["two customers", get("/v1/invoices?customer_id=a&customer_id=b"), /given once/, "customer_id"],
    ["two external ids", get("/v1/invoices?external_id=a&external_id=b"), /given once/, "external_id"],
    ["an external id with U+0000", get("/v1/customers?external_id=A%00"), /U\+0000/, "external_id"],
    ["a number with U+0000", get("/v1/invoices?full_number=A%00"), /U\+0000/, "full_number"],
    ["an unknown status", get("/v1/webhook-endpoints/we_1/deliveries?status=lost"), /must be one of pending/, "status"]
  ]),
  ...refused("unknown_event_type", [
    ["an unknown type", get("/v1/events?type=invoice.created"), /one of the event types/, "type"],
    ["types with an unknown one", get("/v1/events?types[]=invoice.failed&types[]=x"), /event types/, "types[][1]"]
  ]),
  ...refused("parameter_conflict", [
    ["one type and several", get("/v1/events?type=invoice.failed&types[]=invoice.failed"), /exclude/, "types[]"],
    ["both to follow and to page", get(`/v1/events?after=a&starting_after=evt_${zeros}`), /exclude/, "after"],
    ["both to wait and to page", get(`/v1/events?wait=1&ending_before=evt_${zeros}`), /exclude/, "wait"],
    [
      "both cursors",
      get(`/v1/customers?starting_after=cust_${zeros}&ending_before=cust_${zeros}`),
      /exclude each other/,
      "ending_before"
    ]
  ]),
  ...refused("invalid_cursor", [
    [
      "a cursor after a missing invoice",
      get("/v1/invoices?starting_after=inv_1"),
      /begins with inv_/,
      "starting_after"
    ],
    [
      "a cursor before a missing endpoint",
      get("/v1/webhook-endpoints?ending_before=we_1"),
      /begins with we_/,
      "ending_before"
    ],
    ["a malformed event to continue from", get("/v1/events?after=evt_1&wait=20"), /"evt_1"/, "after"],
    ["a cursor after a missing key", get("/v1/api-keys?starting_after=key_1"), /begins with key_/, "starting_after"],
    ["an empty cursor", get("/v1/customers?starting_after="), /begins with cust_/, "starting_after"]
  ]),
  ...refused("parameter_unknown", [
    ["an unknown filter", get("/v1/customers?nmae=x"), /not known here/, "nmae"],
    ["a filter of the account", get("/v1/account?x=1"), /not known here/, "x"],
    ["a filter of a catalog", get("/v1/catalogs/tributos?limit=1"), /not known here/, "limit"],
    [
      "a link with an unknown parameter",
      get(`${link("inv_1")}&utm_source=mail&source=x`, noKey),
      /not known here/,
      "source"
    ],
    ["a tracking parameter without a link", get("/v1/account?utm_source=x"), /not known here/, "utm_source"],
    ["a query of a POST", post("/v1/customers?expand=x", customerBody()), /not known here/, "expand"],
    ["a query of a DELETE", remove("/v1/webhook-endpoints/we_1?force=true"), /not known here/, "force"]
  ])
]
