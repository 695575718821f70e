import { Layer } from "effect"
import { layerActions } from "./Actions.ts"
import { layerCorrection } from "./correction/Correction.ts"
import { layerDocument } from "./DocumentPage.ts"
import { layerArchive, layerCsv } from "./Exports.ts"
import { layerList } from "./ListPage.ts"
import { layerPdf, layerQr, layerXml } from "./Papers.ts"

/** The pages of all documents and of each. Requires `Guard`, `LocalApi` and the stores. */
export const layer = Layer.mergeAll(
  layerList,
  layerCsv,
  layerArchive,
  layerDocument,
  layerPdf,
  layerXml,
  layerQr,
  layerActions,
  layerCorrection
)
