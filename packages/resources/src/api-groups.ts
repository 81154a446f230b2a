import type { ApiGroup } from '@keelson/registry'
import { scheduling } from './scheduling/index.ts'
import { storage } from './storage/index.ts'

/** Every built-in group beyond core. Adding one is a folder and a line here; adding a resource is a folder in its group, and a line in the group's index. */
export const apiGroups: readonly ApiGroup[] = [scheduling, storage]
