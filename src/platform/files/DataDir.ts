import { Config, Context, Effect, Layer } from "effect"
import * as Path from "node:path"
import { read } from "../../settings/Setting.ts"

/** The absolute path of the directory that holds the data: the embedded PostgreSQL, keys and the sandbox's certificate. */
export class DataDir extends Context.Service<DataDir, string>()("@folio-einvoicing/service/DataDir") {
  /** This directory. A relative path starts at the current directory of the process. */
  static layer(path: string) {
    return Layer.succeed(DataDir, Path.resolve(path))
  }

  /** `DATA_DIR`. */
  static readonly layerConfig = Layer.effect(
    DataDir,
    Effect.map(read(Config.String("DATA_DIR").pipe(Config.withDefault("./data"))), (path) => Path.resolve(path))
  )
}
