import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core"
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { publint } from "publint"
import { layer as app } from "../support/apps/MemoryApp.ts"
import { version } from "../../src/runtime/Version.ts"
import { describeOn } from "../support/Tests.ts"
import { clientTests, node, ofReadme } from "./ClientTests.ts"
import { copied, exampleTests } from "./Examples.ts"
import { complaints, run, succeed, write } from "./Installed.ts"
import { Packages } from "./Packages.ts"
import { publicExports } from "./PublicExports.ts"
import { testingPrograms, testingTests } from "./TestingTests.ts"

const root = Path.join(import.meta.dirname, "../..")

/**
 * Problems that a package for `import` alone may have, as `effect` does: `require` and Node 10 resolution cannot find
 * it.
 */
const ofImportAlone = new Set(["NoResolution", "CJSResolvesToESM"])

/** The problems that attw finds in a tarball's types, except those of entries for `import` alone. */
const typeProblems = (tarball: string, isForImportAlone: (entry: string) => boolean) =>
  Effect.map(
    Effect.promise(() => checkPackage(createPackageFromTarballData(new Uint8Array(Fs.readFileSync(tarball))))),
    (result) => {
      assert.isTrue("problems" in result, "the package has types")
      return ("problems" in result ? result.problems : []).filter(
        (problem) =>
          !("entrypoint" in problem && isForImportAlone(problem.entrypoint) && ofImportAlone.has(problem.kind))
      )
    }
  )

describeOn(Layer.merge(Packages.layer, app))("the packages, installed from their tarballs", (it) => {
  it.effect("pass publint and attw", function* () {
    const { client, service } = yield* Packages
    for (const what of ["client", "service"]) {
      const pkgDir = Path.join(root, "build", what)
      const { messages } = yield* Effect.promise(() => publint({ pkgDir, strict: true, pack: false }))
      assert.deepStrictEqual(messages, [])
    }
    assert.deepStrictEqual(yield* typeProblems(service, () => true), [])
    assert.deepStrictEqual(yield* typeProblems(client, (entry) => entry === "./effect"), [])
  })

  clientTests(it)
  testingTests(it)
  exampleTests(it)

  it.effect("install the CLI", function* () {
    const { together } = yield* Packages
    const command = Path.join(together, "node_modules/.bin/folio")
    assert.strictEqual((yield* succeed(together, command, ["--version"])).trim(), `folio v${version}`)
    // The client's package has a `folio` as well. Each of the two that npm may link offers the commands of both.
    const client = Path.join(together, "node_modules/@folio-einvoicing/client/folio.js")
    for (const one of [command, client]) {
      const help = yield* succeed(together, process.execPath, [one, "--help"])
      assert.match(help, /^ {2}login /m)
      assert.match(help, /^OPERATOR COMMANDS[^]*\bdoctor\b/m)
    }
    const old = node(20)
    if (old === undefined) return
    const { code, stderr } = yield* run(together, old, [command, "--help"])
    assert.strictEqual(code, 1)
    assert.match(stderr, /needs Node 22\.19 or later, but this is v20\./)
  })

  it.effect("typecheck under strict, with every example and every program of the documentation", function* () {
    const { programs, together } = yield* copied
    assert.isAbove(programs.length, 7)
    const examples = publicExports
      .flatMap(({ examples: own, module, name }) => own.map((text) => [`${module} ${name}`, text] as const))
      // Numbered, because two names may differ only in the case of a letter.
      .map(([name, text], index) => [`example${index}${name.replaceAll(/\W+/g, "-")}.ts`, `${text}\nexport {}\n`])
    assert.isAbove(examples.length, 5)
    const readme = ["client/webhooks", "client", "client/effect"].map((name) => [
      `readme-${name.replace("/", "-")}.ts`,
      ofReadme(`@folio-einvoicing/${name}`, "")
    ])
    const files: Record<string, string> = { ...Object.fromEntries([...examples, ...readme]), ...testingPrograms }
    write(together, files)
    const all = [...programs, ...Object.keys(files)]
    assert.strictEqual(yield* complaints(together, all, ["--types", "node", "--allowImportingTsExtensions"]), "")
  })
})
