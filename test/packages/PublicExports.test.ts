import { assert, describe, expectTypeOf, it } from "@effect/vitest"
import type { Context, FileSystem, Layer, Path } from "effect"
import type { Sharding } from "effect/cluster"
import type { Aead, SecureRandom } from "effect/crypto"
import type { Etag, HttpPlatform, HttpServer } from "effect/http"
import type { SqlClient } from "effect/sql"
import { ServiceInfo } from "../../src/runtime/ServiceInfo.ts"
import type * as Layers from "../../src/service/Layers.ts"
import type { Parts } from "../../src/service/Service.ts"
import { NationalProfile } from "../../src/documents/NationalProfile.ts"
import { DocumentFiles } from "../../src/invoices/DocumentFiles.ts"
import { SandboxCertificate } from "../../src/documents/signature/Certificate.ts"
import { SigningKeys } from "../../src/documents/signature/SigningKeys.ts"
import { RateLimit } from "../../src/http/limits/RateLimit.ts"
import { Printer } from "../../src/documents/print/Printer.ts"
import type { Busyness } from "../../src/runtime/turns/Busyness.ts"
import { Limits } from "../../src/runtime/Limits.ts"
import { Alerts } from "../../src/operations/Alerts.ts"
import { Authority } from "../../src/invoices/authority/Authority.ts"
import { Mailer } from "../../src/invoices/mail/Mailer.ts"
import { EgressGuard } from "../../src/webhooks/sender/EgressGuard.ts"
import { WebhookSender } from "../../src/webhooks/sender/WebhookSender.ts"
import { Notify } from "../../src/accounts/Notify.ts"
import { SecretKey } from "../../src/database/Secrets.ts"
import { publicExports } from "./PublicExports.ts"

/** All parts of the service that a team may replace, each as a part of `main`. */
const ports = {
  Alerts,
  Authority,
  DocumentFiles,
  EgressGuard,
  Mailer,
  NationalProfile,
  Notify,
  Printer,
  RateLimit,
  SandboxCertificate,
  SecretKey,
  SigningKeys,
  WebhookSender
}

type ServicesOf<Classes> = Context.Service.Identifier<Classes[keyof Classes]>

type OfPlatform =
  | Aead.Aead
  | Etag.Generator
  | FileSystem.FileSystem
  | HttpPlatform.HttpPlatform
  | HttpServer.HttpServer
  | Path.Path
  | SecureRandom.SecureRandom
  | Sharding.Sharding
  | SqlClient.SqlClient

const wordsMin = 2
const isDescribed = (description: string) =>
  description.split(/\s+/).filter((word) => /\w/.test(word)).length >= wordsMin

/** A comment shows a program only if a reader cannot guess the use. The documentation pages show the other programs. */
const examplesMax = 15

const isExample = (text: string, name: string) =>
  /from "@folio-einvoicing\//.test(text) && new RegExp(`\\b${name}\\b`).test(text)

const named = (exported: typeof publicExports) => exported.map(({ module, name }) => `${module} ${name}`)

describe("the exports of the packages", () => {
  const shown = publicExports.filter(({ isInternal }) => !isInternal)

  it("have a description or are internal", () =>
    assert.deepStrictEqual(named(shown.filter(({ description }) => !isDescribed(description))), []))

  it(`have at most ${examplesMax} examples, which import from the package by its name`, () => {
    const withExample = shown.filter(({ examples }) => examples.length > 0)
    assert.isAtMost(new Set(withExample.map(({ examples }) => examples.join())).size, examplesMax)
    const misnamed = withExample.filter(({ examples, name }) => !examples.every((text) => isExample(text, name)))
    assert.deepStrictEqual(named(misnamed), [])
  })

  it("include every port and limit that the service requires, and each port is a part of `main`", () => {
    type Port = ServicesOf<typeof ports>
    type Service = ReturnType<typeof Layers.layerWith<never, never, never>>
    // The default `DocumentFiles` requires a `Printer`, but the service itself does not.
    expectTypeOf<Layer.Services<Service> | Printer>().toEqualTypeOf<
      Port | Busyness | Limits | ServiceInfo | OfPlatform
    >()
    type Part = NonNullable<Parts[Exclude<keyof Parts, "limits" | "mayMixLiveKeys" | "routes">]>
    expectTypeOf<Layer.Success<Part>>().toEqualTypeOf<Port>()
    const names = new Set(shown.map(({ name }) => name))
    assert.deepStrictEqual(
      Object.keys({ ...ports, Limits, ServiceInfo }).filter((name) => !names.has(name)),
      []
    )
  })
})
