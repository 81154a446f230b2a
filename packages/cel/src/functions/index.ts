import { addresses } from './addresses.ts'
import { authorization } from './authorization.ts'
import { conversions } from './conversions.ts'
import type { Implementations } from './implementation.ts'
import { lists } from './lists.ts'
import { namedFormats } from './named-formats.ts'
import { optionals } from './optionals.ts'
import { quantities } from './quantities.ts'
import { regularExpressions } from './regular-expressions.ts'
import { strings } from './strings.ts'
import { times } from './times.ts'
import { urls } from './urls.ts'
import { versions } from './versions.ts'

/** Implementations of all functions by overload id. */
export const implementations: Implementations = {
  ...addresses,
  ...authorization,
  ...conversions,
  ...lists,
  ...namedFormats,
  ...optionals,
  ...quantities,
  ...regularExpressions,
  ...strings,
  ...times,
  ...urls,
  ...versions,
}
