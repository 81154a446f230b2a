import { compareVersions } from '@keelson/apimachinery'
import type { ListedGroup } from '@keelson/http-installer'
import type { ApiServiceIndex, ApiServiceRecord } from '../apiservices/api-service-index.ts'
import { apiServicesResource } from '../apiservices/index.ts'

/** The group of APIServices. It has no APIService and comes first. */
const registrationGroup: ListedGroup = { name: apiServicesResource.group, versions: [{ version: 'v1' }] }

/** The groups of all APIServices in the order of their priorities, for `/apis` and `/apis/GROUP`. They are sorted when they are read. */
export class ListedGroups {
  readonly #index: ApiServiceIndex
  #generation = -1
  #groups: ReadonlyMap<string, ListedGroup> = new Map()

  constructor(index: ApiServiceIndex) {
    this.#index = index
  }

  list(): Iterable<ListedGroup> {
    return this.#sortGroups().values()
  }

  get(name: string): ListedGroup | undefined {
    return this.#sortGroups().get(name)
  }

  #sortGroups(): ReadonlyMap<string, ListedGroup> {
    const { generation } = this.#index
    if (this.#generation !== generation) {
      this.#generation = generation
      this.#groups = sortGroups(this.#index.listRecords())
    }
    return this.#groups
  }
}

function sortGroups(records: Iterable<ApiServiceRecord>): ReadonlyMap<string, ListedGroup> {
  const byGroup = new Map<string, ApiServiceRecord[]>()
  for (const record of [...records].toSorted(compareGroups)) {
    const versions = byGroup.get(record.group)
    if (versions === undefined) byGroup.set(record.group, [record])
    else versions.push(record)
  }
  const groups = new Map([[registrationGroup.name, registrationGroup]])
  for (const [name, versions] of byGroup) {
    if (!groups.has(name)) groups.set(name, { name, versions: versions.toSorted(comparePriorities) })
  }
  return groups
}

function compareGroups(a: ApiServiceRecord, b: ApiServiceRecord): number {
  return b.groupPriority - a.groupPriority || (a.name < b.name ? -1 : 1)
}

function comparePriorities(a: ApiServiceRecord, b: ApiServiceRecord): number {
  return b.versionPriority - a.versionPriority || compareVersions(a.version, b.version)
}
