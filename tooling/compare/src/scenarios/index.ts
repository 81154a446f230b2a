import { apply } from './apply.ts'
import { change } from './change.ts'
import { collection } from './collection.ts'
import { create } from './create.ts'
import { discovery } from './discovery.ts'
import { pages } from './pages.ts'
import { read } from './read.ts'
import { remove } from './remove.ts'
import { rubbish } from './rubbish.ts'
import type { Scenario } from './scenario.ts'
import { subresource } from './subresource.ts'
import { watch } from './watch.ts'
import { watching } from './watching.ts'

export const scenarios: readonly Scenario[] = [
  create,
  change,
  apply,
  subresource,
  remove,
  read,
  watch,
  rubbish,
  pages,
  collection,
  watching,
  discovery,
]
