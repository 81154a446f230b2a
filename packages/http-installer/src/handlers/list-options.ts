import {
  selectEveryField,
  selectEverything,
  selectField,
  newBadRequest,
  parseFieldSelector,
  parseLabelSelector,
  validateListOptions,
} from '@keelson/apimachinery'
import type { FieldSelector } from '@keelson/apimachinery'
import { parseLooseBoolean } from '@keelson/exchange'
import type { QueryParameters } from '@keelson/exchange'
import type { Predicate } from '@keelson/storagebackend'
import { parseInt64, throwInvalid } from './read-request.ts'
import type { ServedResource } from '../routing/served-resource.ts'

/** Options of list, watch and deletecollection requests (metav1.ListOptions). */
export interface ListRequestOptions {
  readonly watch: boolean
  readonly predicate: Predicate
  readonly resourceVersion: string
  readonly resourceVersionMatch: 'Exact' | 'NotOlderThan' | undefined
  readonly limit: number
  readonly continue: string
  readonly allowWatchBookmarks: boolean
  readonly sendInitialEvents: boolean | undefined
  /** Timeout of a watch in seconds. 0 if the request has none. */
  readonly timeoutSeconds: number
}

interface RawOptions {
  readonly watch: boolean
  readonly resourceVersion: string
  resourceVersionMatch: string
  readonly continue: string
  sendInitialEvents: boolean | undefined
}

/**
 * Parses list options from the query. Throws 400 for malformed values and 422 for combinations that are not allowed. A `name` limits the
 * list to the object with that name.
 */
export function parseListOptions(query: QueryParameters, served: ServedResource, name: string, forceWatch = false): ListRequestOptions {
  const timeoutSeconds = parseOptionalInt(query, 'timeoutSeconds')
  const limit = parseOptionalInt(query, 'limit')
  const labels = query.has('labelSelector') ? parseLabelSelector(query.get('labelSelector')!) : selectEverything()
  const fieldSelector = query.has('fieldSelector') ? parseFieldSelector(query.get('fieldSelector')!) : selectEveryField()
  const raw: RawOptions = {
    watch: query.has('watch') && parseLooseBoolean(query.get('watch')),
    resourceVersion: query.get('resourceVersion') ?? '',
    resourceVersionMatch: query.get('resourceVersionMatch') ?? '',
    continue: query.get('continue') ?? '',
    sendInitialEvents: query.has('sendInitialEvents') ? parseLooseBoolean(query.get('sendInitialEvents')) : undefined,
  }
  applyDefaults(raw)
  const { sendInitialEvents, ...otherOptions } = raw
  throwInvalid('ListOptions', validateListOptions(sendInitialEvents === undefined ? otherOptions : { ...otherOptions, sendInitialEvents }))
  return {
    watch: raw.watch || forceWatch,
    predicate: { labels, fields: selectNamed(convertFieldLabels(fieldSelector, served), name) },
    resourceVersion: raw.resourceVersion,
    resourceVersionMatch: (raw.resourceVersionMatch || undefined) as ListRequestOptions['resourceVersionMatch'],
    limit: Math.max(0, limit),
    continue: raw.continue,
    allowWatchBookmarks: query.has('allowWatchBookmarks') && parseLooseBoolean(query.get('allowWatchBookmarks')),
    sendInitialEvents: raw.sendInitialEvents,
    timeoutSeconds,
  }
}

function parseOptionalInt(query: QueryParameters, name: string): number {
  const value = query.get(name)
  return value === null ? 0 : parseInt64(value)
}

/** Sets default values of a watch. A watch without a resourceVersion starts with the existing objects, like one with sendInitialEvents. */
function applyDefaults(raw: RawOptions): void {
  if (raw.sendInitialEvents !== undefined || raw.resourceVersionMatch !== '') return
  if (raw.watch && (raw.resourceVersion === '' || raw.resourceVersion === '0')) {
    raw.sendInitialEvents = true
    raw.resourceVersionMatch = 'NotOlderThan'
  }
}

/** Converts field labels of a field selector from the served version to the internal version, which the store uses. */
function convertFieldLabels(fields: FieldSelector, { scheme, gvk }: ServedResource): FieldSelector {
  return fields.empty ? fields : fields.transform((label, value) => ({ field: scheme.convertFieldLabel(gvk, label), value }))
}

function selectNamed(fields: FieldSelector, name: string): FieldSelector {
  if (name === '') return fields
  if (fields.empty) return selectField('metadata.name', name)
  if (fields.requiresExactMatch('metadata.name') !== name) {
    throw newBadRequest("fieldSelector metadata.name doesn't match requested name")
  }
  return fields
}
