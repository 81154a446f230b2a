import { copyObject } from '@keelson/apimachinery'
import type { KubeObject, RequestContext } from '@keelson/apimachinery'
import { readResult } from './read-result.ts'
import type { ExportRequest, RestResult } from './rest.ts'
import type { StoreParts } from './store-parts.ts'

/**
 * The object without status and without the fields that this cluster set, for creating it in another cluster. kube-apiserver has removed this;
 * clients that copy objects between clusters still use it.
 */
export function exportObject<T extends KubeObject>(
  { definition, gvk }: Pick<StoreParts<T>, 'definition' | 'gvk'>,
  context: RequestContext,
  result: RestResult,
  { exact }: ExportRequest,
): KubeObject {
  const object = copyObject(readResult<T>(result)) as T
  const { metadata } = object
  for (const member of ofThisCluster) delete metadata[member]
  if (!exact) {
    delete metadata.namespace
    if (metadata.generateName) delete metadata.name
  }
  definition.strategy.prepareForCreate?.(context, object)
  definition.strategy.prepareForExport?.(object, exact)
  return { ...object, kind: gvk.kind, apiVersion: gvk.group === '' ? gvk.version : `${gvk.group}/${gvk.version}` }
}

const ofThisCluster = [
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'selfLink',
  'managedFields',
] as const
