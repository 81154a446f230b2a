import { isApiError, messageOf, newBadRequest } from '@keelson/apimachinery'
import type { DeleteOptions, KubeObject } from '@keelson/apimachinery'
import type { Exchange, QueryParameters } from '@keelson/exchange'
import { decodeDocument, notRegistered } from '@keelson/registry'
import type { SentBody } from '@keelson/registry'
import { metaType } from '../encoding/meta-types.ts'
import { negotiateInput } from '../negotiation/negotiate.ts'
import { parseDeleteOptions, checkDeleteOptions } from './query-options.ts'
import { readBody, sentBody } from './read-body.ts'
import type { ResourceScope } from '../routing/scope.ts'

/** Where kube-apiserver registers the kinds of meta/v1, and which kinds there are besides DeleteOptions. */
const metaScheme = 'k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27'
const metaKinds: ReadonlySet<string> = new Set([
  'Status',
  'APIVersions',
  'APIGroup',
  'APIGroupList',
  'APIResourceList',
  'CreateOptions',
  'PatchOptions',
  'UpdateOptions',
])

/** Reads the options from the body, or from the query if there is no body. Throws 400, 413, 415 and 422. */
export async function readDeleteOptions(exchange: Exchange, scope: ResourceScope, query: QueryParameters): Promise<DeleteOptions> {
  const body = await readBody(exchange, scope.settings.maxRequestBodyBytes)
  const options =
    body.byteLength > 0
      ? decodeDeleteOptions(await sentBody(exchange, { form: negotiateInput(exchange), bytes: body }))
      : parseDeleteOptions(query)
  delete options.ignoreStoreReadErrorWithClusterBreakingPotential
  checkDeleteOptions(options)
  return options
}

function decodeDeleteOptions(sent: SentBody): DeleteOptions {
  const type = metaType('DeleteOptions')
  try {
    const document = decodeDocument(sent, { group: '', version: 'v1', kind: 'DeleteOptions' })
    const { kind } = document.gvk
    if (kind !== 'DeleteOptions') {
      if (!metaKinds.has(kind)) throw newBadRequest(notRegistered(document.gvk, metaScheme))
      // Errors of the body as the kind that it names come first.
      document.decode(metaType(kind), 'Ignore')
      throw newBadRequest(`converting (v1.${kind}) to (v1.DeleteOptions): unknown conversion`)
    }
    const { apiVersion: _, kind: __, ...options } = document.decode(type, 'Ignore').object as KubeObject & DeleteOptions
    return options
  } catch (error) {
    if (isApiError(error)) throw error
    throw newBadRequest(messageOf(error))
  }
}
