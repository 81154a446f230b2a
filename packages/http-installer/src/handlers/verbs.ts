import { getErrorMessage, newBadRequest, newUnsupportedMediaType, newMethodNotSupported } from '@keelson/apimachinery'
import type { Span } from '@keelson/apimachinery'
import { canExport, createObject, canList, canWatch } from '@keelson/registry'
import type {
  Getter,
  RESTStorage,
  Creater,
  NamedCreater,
  Updater,
  Change,
  MergePatchType,
  GracefulDeleter,
  CollectionDeleter,
} from '@keelson/registry'
import { negotiateOutput, negotiateInput, cborApplyPatchType, isApply, listPatchTypes } from '../negotiation/negotiate.ts'
import { parseWriteOptions, readBody, toSentBody, readDeleteOptions } from './read-request.ts'
import type { Handler, ApiRequest } from '../routing/served-resource.ts'
import { writeResult } from '../encoding/write-object.ts'
import { parseLooseBoolean, parseMediaType } from '@keelson/exchange'
import { createBlankObject, getMetadata } from '../encoding/rest-result.ts'
import { writeStatus } from '../encoding/write-error.ts'
import { parseListOptions } from './list-options.ts'
import { writeList } from '../encoding/write-list.ts'
import { serveWatch } from '../watch/serve-watch.ts'

/** Returns a handler for GET of an object. The query parameter `export` removes cluster-specific fields. */
export function handleGet(storage: RESTStorage & Getter): Handler {
  return async ({ exchange, served, name, query }) => {
    const negotiated = negotiateOutput(exchange, served.endpoint)
    if (query.has('export') && parseLooseBoolean(query.get('export'))) {
      if (!canExport(storage)) throw newBadRequest(`export of ${JSON.stringify(served.resource)} is not supported`)
      const exact = query.has('exact') && parseLooseBoolean(query.get('exact'))
      return writeResult({ exchange, served, query, negotiated }, 200, await storage.export(exchange, name, { exact }))
    }
    const resourceVersion = query.get('resourceVersion')
    exchange.span?.addEvent('About to Get from storage')
    const result = await storage.get(exchange, name, resourceVersion === null ? {} : { resourceVersion })
    return writeResult({ exchange, served, query, negotiated }, 200, result)
  }
}

/** Returns a handler for POST to a collection or to a subresource of an object. */
export function handleCreate(storage: RESTStorage & (Creater | NamedCreater)): Handler {
  return async ({ exchange, served, name, query }) => {
    const negotiated = negotiateOutput(exchange, served.endpoint)
    const form = negotiateInput(exchange)
    const bytes = await readBody(exchange, served.settings.maxRequestBodyBytes)
    const options = parseWriteOptions(query, 'CreateOptions')
    exchange.span?.addEvent('About to convert to expected version')
    const parsing = toSentBody(exchange, { form, bytes })
    const body = parsing instanceof Promise ? await parsing : parsing
    const creating = createObject(storage, { route: served, context: exchange, name, options, sent: body })
    const result = await (exchange.span === undefined ? creating : recordWrite(exchange.span, bytes.length, creating))
    return writeResult({ exchange, served, query, negotiated }, 201, result)
  }
}

/** Returns a handler for PUT. */
export function handleUpdate(storage: Updater): Handler {
  return async ({ exchange, served, name, query }) => {
    const negotiated = negotiateOutput(exchange, served.endpoint)
    const bytes = await readBody(exchange, served.settings.maxRequestBodyBytes)
    const options = parseWriteOptions(query, 'UpdateOptions')
    exchange.span?.addEvent('About to convert to expected version')
    const parsing = toSentBody(exchange, { form: negotiateInput(exchange), bytes })
    const body = parsing instanceof Promise ? await parsing : parsing
    const { dryRun } = options
    const updating = storage.update(exchange, name, { change: { kind: 'replace', body }, dryRun, route: served, options })
    const { object, created } = await (exchange.span === undefined ? updating : recordWrite(exchange.span, bytes.length, updating))
    return writeResult({ exchange, served, query, negotiated }, created ? 201 : 200, object)
  }
}

/** Adds the end of a write to the step of its handler. `length` is the length of the request's body. */
async function recordWrite<T>(step: Span, length: number, writing: Promise<T>): Promise<T> {
  try {
    const written = await writing
    step.addEvent('Write to database call succeeded', { len: length })
    return written
  } catch (error) {
    step.addEvent('Write to database call failed', { len: length, err: getErrorMessage(error) })
    throw error
  }
}

/**
 * Returns a handler for PATCH. If the object changes between read and write, the patch is applied again to the newer object. So a conflict
 * occurs only if the patch contains a resourceVersion.
 */
export function handlePatch(storage: Updater): Handler {
  return async ({ exchange, served, name, query }) => {
    const patchType = parseMediaType(exchange.contentType)
    const patchTypes = listPatchTypes(exchange)
    // The router accepts a list of content types, but a patch has exactly one.
    if (!patchTypes.includes(patchType)) throw newUnsupportedMediaType(patchTypes)
    const negotiated = negotiateOutput(exchange, served.endpoint)
    const bytes = await readBody(exchange, served.settings.maxRequestBodyBytes)
    const options = parseWriteOptions(query, 'PatchOptions', patchType)
    exchange.audit?.recordPatch(bytes)
    exchange.span?.addEvent('Recorded the audit event')
    const { dryRun } = options
    let change: Change
    if (isApply(patchType)) {
      const parsing = toSentBody(exchange, { form: patchType === cborApplyPatchType ? 'cbor' : 'yaml', bytes })
      change = { kind: 'apply', configuration: parsing instanceof Promise ? await parsing : parsing }
    } else change = { kind: 'patch', type: patchType as MergePatchType, body: bytes }
    const { object, created } = await storage.update(exchange, name, { change, dryRun, route: served, options })
    exchange.span?.addEvent('Object stored in database')
    return writeResult({ exchange, served, query, negotiated }, created ? 201 : 200, object)
  }
}

/**
 * Returns a handler for DELETE of an object. Sends a Status if the object is gone. Sends the object if it still exists, or if its resource
 * returns deleted objects.
 */
export function handleDelete(storage: GracefulDeleter): Handler {
  return async ({ exchange, served, name, query }) => {
    const negotiated = negotiateOutput(exchange, served.endpoint)
    const options = await readDeleteOptions(exchange, served, query)
    const dryRun = (options.dryRun ?? []).length > 0
    exchange.span?.addEvent('About to delete object from database')
    const { object, immediate, blank = false } = await storage.delete(exchange, name, { options, dryRun, route: served })
    exchange.span?.addEvent('Object deleted from database')
    if (blank) return writeResult({ exchange, served, query, negotiated }, 200, createBlankObject(served, {}))
    if (!immediate || storage.returnsDeletedObject) {
      return writeResult({ exchange, served, query, negotiated }, !immediate && options.orphanDependents === false ? 202 : 200, object)
    }
    const { uid } = getMetadata(object)
    const { group, resource } = served.groupResource
    exchange.span?.addEvent('About to write a response')
    writeStatus(exchange, 200, {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      details: { name, ...(group === '' ? undefined : { group }), kind: resource, ...(uid === undefined ? undefined : { uid }) },
    })
    exchange.span?.addEvent('Writing http response done')
  }
}

/** Returns a handler for DELETE of a collection. Sends the list of deleted objects. */
export function handleDeleteCollection(storage: CollectionDeleter): Handler {
  return async ({ exchange, served, query }) => {
    const negotiated = negotiateOutput(exchange, served.endpoint)
    const { predicate, resourceVersion, resourceVersionMatch, limit, continue: token } = parseListOptions(query, served, '')
    const options = await readDeleteOptions(exchange, served, query)
    const dryRun = (options.dryRun ?? []).length > 0
    const deleted = await storage.deleteCollection(
      exchange,
      { options, dryRun, route: served },
      { predicate, resourceVersion, resourceVersionMatch, limit, continue: token },
    )
    exchange.span?.addEvent('About to write a response')
    await writeList({ exchange, served, query, negotiated }, deleted)
    exchange.span?.addEvent('Writing http response done')
  }
}

/** Handles GET of a collection: sends a list, or a stream of changes if the request is a watch. */
export async function handleList(request: ApiRequest): Promise<void> {
  const { exchange, served, name, query } = request
  const negotiated = negotiateOutput(exchange, served.endpoint)
  const options = parseListOptions(query, served, name, exchange.attributes.pathVerb === 'watch')
  if (options.watch) {
    if (!canWatch(served.storage)) throw newMethodNotSupported(served.groupResource, 'watch')
    return serveWatch(request, served.storage, options)
  }
  if (!canList(served.storage)) throw newMethodNotSupported(served.groupResource, 'list')
  const { predicate, resourceVersion, resourceVersionMatch, limit } = options
  const list = await served.storage.list(exchange, { predicate, resourceVersion, resourceVersionMatch, limit, continue: options.continue })
  return writeList({ exchange, served, query, negotiated }, list)
}
