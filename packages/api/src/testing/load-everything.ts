import { readdir } from 'node:fs/promises'
import type { GroupVersionTypes } from '../kind-type.ts'

/** Loads every generated group version. */
export async function loadEveryGroupVersion(): Promise<GroupVersionTypes[]> {
  const root = new URL('../generated/', import.meta.url)
  const names = (await readdir(root, { recursive: true })).filter((name) => name.endsWith('/index.ts'))
  const modules = await Promise.all(
    names.toSorted().map((name) => import(new URL(name, root).href) as Promise<Record<string, GroupVersionTypes>>),
  )
  return modules.flatMap((module) => Object.values(module))
}
