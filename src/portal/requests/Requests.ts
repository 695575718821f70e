import { Layer } from "effect"
import { page } from "../frame/Routes.ts"
import * as RequestList from "./RequestList.ts"
import * as RequestPage from "./RequestPage.ts"

/** The pages of the request log. */
export const layer = Layer.mergeAll(
  page("/portal/requests", RequestList.page),
  page("/portal/requests/:id", RequestPage.page)
)
