import type { Pod, PodLogOptions } from '@keelson/api/core/v1'
import { fieldError, newFieldPath, newInvalid, unnamedPath } from '@keelson/apimachinery'
import type { FieldErrorList } from '@keelson/apimachinery'
import { readResult, describeRESTStorage } from '@keelson/registry'
import type { RESTStorage, Streamer } from '@keelson/registry'
import { resolveContainerName } from './container-name.ts'
import type { PodStreams } from './pod-streams.ts'

/** Creates pods/NAME/log, which streams the log of a container. With `follow`, the stream continues with new output. */
export function logSubresource({ pods, kubelet }: PodStreams): RESTStorage & Streamer {
  return {
    ...describeRESTStorage({ group: '', version: 'v1', kind: 'Pod' }),
    streamType: 'text/plain',
    streamOptions: {
      kind: 'PodLogOptions',
      members: {
        container: 'string',
        follow: 'boolean',
        insecureSkipTLSVerifyBackend: 'boolean',
        limitBytes: 'integer',
        previous: 'boolean',
        sinceSeconds: 'integer',
        sinceTime: 'time',
        stream: 'string',
        tailLines: 'integer',
        timestamps: 'boolean',
      },
    },
    async openStream(context, name, rawOptions) {
      const options = rawOptions as unknown as PodLogOptions
      const errors = validateLogOptions(options)
      if (errors.length > 0) throw newInvalid({ group: '', kind: 'PodLogOptions' }, name, errors)
      const pod = readResult<Pod>(await pods.get(context, name, {}))
      const container = resolveContainerName(pod, options.container ?? '')
      const node = pod.spec?.nodeName
      if (!node) return undefined
      const { remote } = await kubelet(context, node)
      const { namespace, name: podName } = pod.metadata
      const path = `/containerLogs/${namespace}/${podName}/${container}`
      const tls = options.insecureSkipTLSVerifyBackend ? { ...remote.tls, verify: false } : remote.tls
      return { remote: { ...remote, ...(tls && { tls }), path, query: buildLogQuery(options) }, resource: 'pods/log' }
    },
  }
}

function buildLogQuery({ follow, limitBytes, previous, sinceSeconds, sinceTime, tailLines, timestamps }: PodLogOptions): string {
  const query = new URLSearchParams()
  if (follow) query.append('follow', 'true')
  if (limitBytes !== undefined) query.append('limitBytes', String(limitBytes))
  if (previous) query.append('previous', 'true')
  if (sinceSeconds !== undefined) query.append('sinceSeconds', String(sinceSeconds))
  if (sinceTime) query.append('sinceTime', sinceTime)
  if (tailLines !== undefined) query.append('tailLines', String(tailLines))
  if (timestamps) query.append('timestamps', 'true')
  return query.toString()
}

function validateLogOptions({ tailLines, limitBytes, sinceSeconds, sinceTime, stream }: PodLogOptions): FieldErrorList {
  const errors: FieldErrorList = []
  if (tailLines !== undefined && tailLines < 0) {
    errors.push(fieldError.invalid(newFieldPath('tailLines'), tailLines, 'must be greater than or equal to 0'))
  }
  if (limitBytes !== undefined && limitBytes < 1) {
    errors.push(fieldError.invalid(newFieldPath('limitBytes'), limitBytes, 'must be greater than 0'))
  }
  if (sinceSeconds !== undefined && sinceTime) {
    errors.push(fieldError.forbidden(unnamedPath, 'at most one of `sinceTime` or `sinceSeconds` may be specified'))
  } else if (sinceSeconds !== undefined && sinceSeconds < 1) {
    errors.push(fieldError.invalid(newFieldPath('sinceSeconds'), sinceSeconds, 'must be greater than 0'))
  }
  if (stream !== undefined) errors.push(fieldError.forbidden(newFieldPath('stream'), 'may not be specified'))
  return errors
}
