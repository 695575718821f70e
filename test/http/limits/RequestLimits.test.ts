import { assert, describe, it as test } from "@effect/vitest"
import { Schema, SchemaAST } from "effect"
import { Api } from "../../../src/api/Api.ts"
import { violationsMax } from "../../../src/runtime/json/Violations.ts"
import { decodeBody, limitOf, queryViolations } from "../../../src/http/request/Validation.ts"
import { customerBody, invoiceBody } from "../../support/apps/Invoices.ts"
import { keys } from "../../support/apps/Accounts.ts"
import { layer as app } from "../../support/apps/MemoryApp.ts"
import { addCustomer } from "../../support/apps/MemoryRows.ts"
import { post, type Reply, send } from "../../support/apps/Requests.ts"
import { bad, invoiceWith, named, times, wrongLines } from "../inputs/largeRequests.ts"
import { describeOn } from "../../support/Tests.ts"

const endpoints = Object.values(Api.groups).flatMap((group) => Object.values(group.endpoints))

/** The unbounded lists and records in a schema, by their place. */
const unbounded = (ast: SchemaAST.AST, place: string): ReadonlyArray<string> => {
  const limit = limitOf(ast) === undefined ? [place] : []
  if (SchemaAST.isArrays(ast)) {
    const parts = [...ast.elements, ...ast.rest]
    return [...limit, ...parts.flatMap((item) => unbounded(item, `${place}[]`))]
  }
  if (SchemaAST.isUnion(ast)) return ast.types.flatMap((type) => unbounded(type, place))
  if (!SchemaAST.isObjects(ast)) return []
  return [
    ...(ast.indexSignatures.length > 0 ? limit : []),
    ...ast.indexSignatures.flatMap(({ type }) => unbounded(type, `${place}.*`)),
    ...ast.propertySignatures.flatMap(({ name, type }) => unbounded(type, `${place}.${String(name)}`))
  ]
}

/** The schemas of the names of each record in a schema. */
const recordNames = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.AST> => {
  if (SchemaAST.isArrays(ast)) return [...ast.elements, ...ast.rest].flatMap(recordNames)
  if (SchemaAST.isUnion(ast)) return ast.types.flatMap(recordNames)
  if (!SchemaAST.isObjects(ast)) return []
  return [
    ...ast.indexSignatures.flatMap(({ parameter, type }) => [parameter, ...recordNames(type)]),
    ...ast.propertySignatures.flatMap(({ type }) => recordNames(type))
  ]
}

/** All types in unions except null: a list or a record in a union would be decoded before it is counted. */
const inUnions = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.AST> => {
  if (SchemaAST.isUnion(ast)) {
    const types = ast.types.filter((type) => !SchemaAST.isNull(type))
    return types.length === 1 ? types.flatMap(inUnions) : types
  }
  if (SchemaAST.isArrays(ast)) return ast.rest.flatMap(inUnions)
  return SchemaAST.isObjects(ast) ? ast.propertySignatures.flatMap(({ type }) => inUnions(type)) : []
}

const requested = endpoints.flatMap(({ method, path, payload, query }) => [
  ...[...payload.values()].flatMap(({ schemas: [schema] }) => [[`${method} ${path}`, schema.ast] as const]),
  ...(query === undefined ? [] : [[`${method} ${path}?`, query.ast] as const])
])

describe("the schemas of requests", () => {
  test("give every list and every record a limit", () => {
    assert.isAbove(requested.length, 20)
    assert.deepStrictEqual(
      requested.flatMap(([name, ast]) => unbounded(ast, name)),
      []
    )
    for (const [name, ast] of requested) {
      assert.isFalse(
        inUnions(ast).some((type) => SchemaAST.isArrays(type) || SchemaAST.isObjects(type)),
        name
      )
    }
  })

  // JSON.parse of Node 24 misreads names with escapes, and Folio uses it to read stored JSON.
  test("reject names of records that JSON writes with an escape", () => {
    const names = requested.flatMap(([, ast]) => recordNames(ast))
    assert.isAbove(names.length, 8)
    const escaped = Array.from({ length: 0x80 }, (_, code) => String.fromCharCode(code)).filter(
      (character) => JSON.stringify(character).length > 3
    )
    for (const name of names) {
      const isName = Schema.is(Schema.make(name))
      assert.isTrue(isName("año 5'/€"))
      assert.deepStrictEqual(
        escaped.filter((character) => isName(`talla 5${character}`)),
        []
      )
    }
  })

  test("reveal unbounded lists and records at any place", () => {
    const [page] = [...Api.groups.invoices.endpoints.listInvoices.success].map(({ ast }) => unbounded(ast, "page"))
    assert.includeMembers([...(page ?? [])], ["page.data", "page.data[].totals.taxes", "page.data[].authority_errors"])
  })
})

const { createInvoice } = Api.groups.invoices.endpoints
const { listEvents } = Api.groups.events.endpoints

/** A value that no code may read. */
const untouchable: object = new Proxy(
  {},
  {
    get: () => assert.fail("it was looked into"),
    ownKeys: () => assert.fail("it was looked into"),
    has: () => assert.fail("it was looked into")
  }
)

const paramsOf = (body: object) => decodeBody(createInvoice, body).violations.map(({ param }) => param)

describe("a limit", () => {
  test("applies to a list before its items are read", () => {
    assert.deepStrictEqual(paramsOf({ ...invoiceBody("cust_1"), lines: times(501, untouchable) }), ["lines"])
    const [line] = invoiceBody("").lines
    const lines = [{ ...line, taxes: times(11, untouchable) }]
    assert.deepStrictEqual(paramsOf({ ...invoiceBody("cust_1"), lines }), ["lines[0].taxes"])
  })

  test("applies to a record before its values are read", () => {
    const lookedAt: Array<string | symbol> = []
    const get = (target: object, name: string | symbol) => {
      lookedAt.push(name)
      return Reflect.get(target, name)
    }
    const params = paramsOf({ ...invoiceBody("cust_1"), metadata: new Proxy(named(51, ""), { get }) })
    assert.deepStrictEqual([params, lookedAt], [["metadata"], []])
  })

  test("hides no other fault of the body", () => {
    const body = { ...invoiceBody("cust_1"), currency: 5, lines: times(501, 1), odd: 1 }
    assert.deepStrictEqual(paramsOf(body), ["odd", "currency", "lines"])
  })

  test("applies to a list in a query too", () => {
    const found = queryViolations(listEvents, { "types[]": times(22, "x") })
    assert.deepStrictEqual(
      found.map(({ message, param }) => [param, message]),
      [["types[]", "types[] must name at most 21 event types."]]
    )
  })

  test("on reported faults also ends the search for more", () => {
    const [line] = invoiceBody("").lines
    const reads = Array(500).fill(0)
    const lines = reads.map((_, index) => {
      const get = (target: object, name: string) => {
        reads[index] += 1
        return Reflect.get(target, name)
      }
      return new Proxy({ ...line, quantity: "1" }, { get })
    })
    assert.lengthOf(decodeBody(createInvoice, { ...invoiceBody("cust_1"), lines }).violations, violationsMax + 1)
    // After the hundredth fault, the seven lists and objects are still counted: once with all lines and once alone.
    assert.isAbove(reads[50], 20)
    assert.isAtMost(reads[400], 14)
  })
})

const answerMax = 64 * 1024

const isSmall = ({ status, text }: Reply) => {
  assert.isAtLeast(status, 400)
  assert.isBelow(status, 500, text.slice(0, 500))
  assert.isAtMost(Buffer.byteLength(text), answerMax)
}

const tellsSome = (reported: { readonly errors?: ReadonlyArray<object>; readonly has_more_errors?: boolean }) => {
  assert.isAtMost(reported.errors?.length ?? 0, violationsMax)
  if (reported.has_more_errors !== undefined) assert.isTrue(reported.has_more_errors)
}

describeOn(app)("the response to a bad request", (it) => {
  it.effect.each(bad.map(([name, sent]) => ({ name, sent })))("stays small: $name", function* ({ sent }) {
    const reply = yield* send(sent)
    isSmall(reply)
    tellsSome(reply.json.error)
    const problem = yield* send({ ...sent, headers: { ...sent.headers, accept: "application/problem+json" } })
    assert.strictEqual(problem.headers["content-type"], "application/problem+json")
    isSmall(problem)
    tellsSome(problem.json)
    if (sent.path !== "/v1/invoices") return
    const verdict = yield* send({ ...sent, path: "/v1/invoices/validate" })
    if (reply.json.error.code === "malformed_json") return assert.strictEqual(verdict.status, 400)
    assert.isAtMost(Buffer.byteLength(verdict.text), answerMax)
    assert.isFalse(verdict.json.valid)
    assert.isNotEmpty(verdict.json.errors)
    tellsSome(verdict.json)
  })

  it.effect(
    "lists the first hundred faults, the first of them as the error, and reports that there are more",
    function* () {
      const { error } = (yield* send(invoiceWith({ lines: times(500, {}) }))).json
      assert.lengthOf(error.errors, violationsMax)
      assert.isTrue(error.has_more_errors)
      assert.deepInclude(error, { code: "parameter_missing", param: "lines[0].description" })
      assert.strictEqual(error.message, error.errors[0].message)
      const few = (yield* send(invoiceWith({ lines: times(16, {}) }))).json.error
      assert.lengthOf(few.errors, 97)
      assert.notProperty(few, "has_more_errors")
    }
  )

  it.effect("lists the same number of a document's broken rules", function* () {
    const customer_id = yield* addCustomer()
    const body = { ...invoiceBody(customer_id), lines: wrongLines(200) }
    const { error } = (yield* post("/v1/invoices", body)).json
    assert.strictEqual(error.code, "tax_mismatch")
    assert.lengthOf(error.errors, violationsMax)
    assert.isTrue(error.has_more_errors)
    const verdict = yield* post("/v1/invoices/validate", body)
    assert.deepStrictEqual(verdict.json.errors, error.errors)
    assert.isTrue(verdict.json.has_more_errors)
    assert.isAtMost(Buffer.byteLength(verdict.text), answerMax)
  })
})

describeOn(app)("a path", (it) => {
  it.effect.each([
    "/v1/account;limit=1",
    "/v1/customers;limit=1?limit=1",
    "/v1/account#limit",
    "/v1/customers/cust_1;x",
    "/v1/invoices/inv_1/pdf;account=a&mode=test&expires=1&signature=x"
  ])("ends only at the question mark: %s", function* (path) {
    for (const authorization of [`Bearer ${keys.test}`, undefined]) {
      const { json, status } = yield* send({ path, headers: { authorization } })
      assert.deepStrictEqual([status, json.error.code], [404, "route_not_found"])
    }
  })

  it.effect("with a semicolon is no second spelling of the path without it", function* () {
    const headers = { "idempotency-key": "semicolon" }
    const made = yield* post("/v1/customers", customerBody(), headers)
    assert.strictEqual(made.status, 201)
    assert.strictEqual((yield* post("/v1/customers;x=1", customerBody(), headers)).status, 404)
    const again = yield* post("/v1/customers", customerBody(), headers)
    assert.strictEqual(again.text, made.text)
  })

  it.effect("leaves a semicolon after the question mark to the query", function* () {
    const { json } = yield* send({ path: "/v1/customers?limit=1;odd=2" })
    assert.deepInclude(json.error, { code: "parameter_invalid", param: "limit" })
  })
})
