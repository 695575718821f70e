import * as Fs from "node:fs"

/** A file that `folio init` prints. */
export interface Template {
  /** The word after `folio init`. */
  readonly name: string
  readonly description: string
  /** Name of the file in this folder and in the folder of `--out`. */
  readonly file: string
  /** Replaces `file` if the service is an installed package. */
  readonly inPackage?: string
}

/** All files that `folio init` prints, to deploy and to monitor the service. */
export const templates = [
  {
    name: "docker",
    description: "A Dockerfile of the service",
    file: "Dockerfile",
    inPackage: "Dockerfile.package"
  },
  { name: "compose", description: "PostgreSQL, two processes and a balancer", file: "compose.yaml" },
  { name: "systemd", description: "A unit that runs the service on one machine", file: "folio.service" },
  { name: "prometheus", description: "A scrape configuration for Prometheus", file: "prometheus.yaml" },
  { name: "alerts", description: "Alerts for Prometheus", file: "folio.rules.yaml" },
  { name: "grafana", description: "A dashboard for Grafana", file: "folio.dashboard.json" }
] as const satisfies ReadonlyArray<Template>

// The package has compiled modules.
const isPackage = import.meta.url.endsWith(".js")

/** The text of a template. */
export const textOf = ({ file, inPackage = file }: Template): string =>
  Fs.readFileSync(new URL(isPackage ? inPackage : file, import.meta.url), "utf8")
