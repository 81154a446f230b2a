import type { ApiGroup } from '@keelson/registry'
import { apiGroups } from '@keelson/resources'
import { coreGroups } from '@keelson/resources-core'

/** Every group that is built in. Their types, kinds, stores, routes and discovery follow from this list. */
export const builtinGroups: readonly ApiGroup[] = [...coreGroups, ...apiGroups]
