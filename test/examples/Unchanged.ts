/* The service with all its defaults. To replace a part, pass your own to `main`. */
import { main } from "@folio-einvoicing/service"

main()
