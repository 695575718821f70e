import { assert, describe, it } from "@effect/vitest"
import type { Brand } from "effect"
import type { HttpApi } from "effect/http-api"
import type * as Schemas from "../../../schemas/Event.ts"
import type { Api } from "../../../src/api/Api.ts"
import { openApi } from "../../../src/api/OpenApi.ts"
import type { Event, Operations } from "../../../src/clients/typescript/Interface.ts"
import { routes } from "../../../src/clients/typescript/OperationRoutes.ts"

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false

type Groups = typeof Api extends HttpApi.HttpApi<infer _, infer All> ? All : never
type EndpointOf<Group, Name> =
  Extract<Groups, { readonly identifier: Group }> extends { readonly endpoints: infer Endpoints }
    ? Name extends keyof Endpoints
      ? Endpoints[Name]
      : never
    : never

/** The type without the brands of ids, which only the schemas have. */
type Plain<Value> = Value extends string
  ? Value extends Brand.Brand<string>
    ? string
    : Value
  : Value extends Uint8Array
    ? Uint8Array
    : Value extends object
      ? { [Name in keyof Value]: Plain<Value[Name]> }
      : Value

type TypeOf<Schema> = Schema extends { readonly Type: infer Type } ? Plain<Type> : never
type SuccessOf<Endpoint> = Endpoint extends { readonly "~Success": infer Schema } ? TypeOf<Schema> : never
type PayloadOf<Endpoint> = Endpoint extends { readonly "~Payload": infer Schema } ? TypeOf<Schema> : never
type ParamsOf<Endpoint> = Endpoint extends { readonly "~Params": infer Schema } ? TypeOf<Schema> : never
type QueryOf<Endpoint> = Endpoint extends { readonly "~Query": infer Schema } ? TypeOf<Schema> : never

/** A query as the client sends it: numbers and booleans as text. */
type Texts<Query> = {
  [Name in keyof Query]: NonNullable<Query[Name]> extends number
    ? string
    : NonNullable<Query[Name]> extends boolean
      ? "true" | "false"
      : Query[Name]
}

type Part<Request, Name> = Name extends keyof Request ? NonNullable<Request[Name]> : never

type Faults<Group, Name, Operation> = Operation extends {
  readonly request: infer Request
  readonly answer: infer Answer
}
  ?
      | (Same<Answer, SuccessOf<EndpointOf<Group, Name>>> extends true ? never : `${Name & string} answers otherwise`)
      | (Same<Part<Request, "payload">, PayloadOf<EndpointOf<Group, Name>>> extends true
          ? never
          : `${Name & string} has another payload`)
      | (Same<Part<Request, "params">, ParamsOf<EndpointOf<Group, Name>>> extends true
          ? never
          : `${Name & string} has other params`)
      | (Same<Texts<Part<Request, "query">>, QueryOf<EndpointOf<Group, Name>>> extends true
          ? never
          : `${Name & string} has another query`)
  : never

type Different = {
  [Group in keyof Operations]: {
    [Name in keyof Operations[Group]]: Faults<Group, Name, Operations[Group][Name]>
  }[keyof Operations[Group]]
}[keyof Operations]

/** The function that reads a list to its end returns the objects of its pages. */
type OtherItems = {
  [Group in keyof Operations]: {
    [Name in keyof Operations[Group]]: Name extends `all${infer Things}`
      ? Same<
          [Part<Operations[Group][Name], "item">],
          [Part<Part<Operations[Group], `list${Things}`>, "answer">] extends [
            { readonly data: ReadonlyArray<infer Item>; readonly has_more: boolean }
          ]
            ? [Item]
            : never
        > extends true
        ? never
        : Name
      : never
  }[keyof Operations[Group]]
}[keyof Operations]

describe("the plain types of the client", () => {
  it("match the schemas, for each operation and for the event of a webhook", () => {
    const same: [Different] extends [never] ? true : Different = true
    const sameEvent: Same<Event, (typeof Schemas.Event)["Encoded"]> = true
    const sameItems: [OtherItems] extends [never] ? true : OtherItems = true
    assert.isTrue(same && sameEvent && sameItems)
  })

  it("have every operation except the mail provider's, which takes no API key, each with its method and path", () => {
    const operations = Object.entries(openApi["paths"] as Readonly<Record<string, object>>).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => [operationId, `${method.toUpperCase()} ${path}`])
    )
    const named = Object.entries(routes).flatMap(([group, names]) =>
      Object.entries(names).map(([name, route]) => [`${group}.${name}`, route])
    )
    assert.sameDeepMembers(
      named.filter(([id]) => !/\.all[A-Z]/.test(id ?? "")),
      operations.filter(([id]) => id !== "emailNotices.noteEmail")
    )
    // The types show which lists have pages, and therefore an `all…` function.
    for (const [id, route] of named) {
      const list = id?.replace(/\.all(?=[A-Z])/, ".list")
      assert.deepInclude(operations, [list, route])
    }
  })
})
