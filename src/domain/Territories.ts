// The authority's list Paises 2.1 (ISO 3166, annex 1.8). Its entry "UN" for Niue is read as NU, the code ISO gives it.
const countries =
  "AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC " +
  "CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD " +
  "GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH " +
  "KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW " +
  "MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD " +
  "SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ " +
  "VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW"

// The authority's list Departamentos 2.1: the first two digits of each municipality, and the name.
const list =
  "05 Antioquia; 08 Atlántico; 11 Bogotá; 13 Bolívar; 15 Boyacá; 17 Caldas; 18 Caquetá; 19 Cauca; 20 Cesar; " +
  "23 Córdoba; 25 Cundinamarca; 27 Chocó; 41 Huila; 44 La Guajira; 47 Magdalena; 50 Meta; 52 Nariño; " +
  "54 Norte de Santander; 63 Quindío; 66 Risaralda; 68 Santander; 70 Sucre; 73 Tolima; 76 Valle del Cauca; " +
  "81 Arauca; 85 Casanare; 86 Putumayo; 88 San Andrés y Providencia; 91 Amazonas; 94 Guainía; 95 Guaviare; " +
  "97 Vaupés; 99 Vichada"

/** The countries a party may be in, by their two letters. */
export const countryCodes: ReadonlySet<string> = new Set(countries.split(" "))

/** The departments of the home country, by their two digits. */
export const departments: ReadonlyMap<string, string> = new Map(
  list.split("; ").map((entry) => [entry.slice(0, 2), entry.slice(3)])
)

/** The country whose departments and municipalities the authority checks. */
export const homeCountry = "CO"
