import type { ExecAction, GRPCAction, HTTPGetAction, SleepAction, TCPSocketAction } from '@keelson/api/core/v1'
import { fieldError, isHTTPHeaderName } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { createInvalidErrors, validateRequired, validateSupported } from './field-rules.ts'
import { validatePortNumberOrName } from './validate-ports.ts'

/** The action of a probe or a lifecycle hook. Only probes support `grpc`, only hooks support `sleep`. */
export interface Handler {
  readonly exec?: DeepReadonly<ExecAction>
  readonly httpGet?: DeepReadonly<HTTPGetAction>
  readonly tcpSocket?: DeepReadonly<TCPSocketAction>
  readonly grpc?: DeepReadonly<GRPCAction>
  readonly sleep?: DeepReadonly<SleepAction>
}

const schemes = ['HTTP', 'HTTPS']

/**
 * Validates the action of a probe or a lifecycle hook. Requires exactly one action. The sleep time of a hook must not exceed `gracePeriod`.
 */
export function validateHandler(handler: Handler, gracePeriod: number | undefined, path: FieldPath): FieldErrorList {
  const { exec, httpGet, tcpSocket, grpc, sleep } = handler
  const actions: Readonly<Record<string, ((at: FieldPath) => FieldErrorList) | undefined>> = {
    exec: exec && ((at) => ((exec.command ?? []).length === 0 ? [fieldError.required(at.child('command'))] : [])),
    httpGet: httpGet && ((at) => validateHTTPGet(httpGet, at)),
    tcpSocket: tcpSocket && ((at) => validatePortNumberOrName(tcpSocket.port, at.child('port'))),
    grpc: grpc && ((at) => validatePortNumberOrName(grpc.port, at.child('port'))),
    sleep: sleep && ((at) => validateSleep(sleep, gracePeriod, at)),
  }
  const errors: FieldErrorList = []
  let hasHandler = false
  for (const [member, validate] of Object.entries(actions)) {
    if (validate === undefined) continue
    if (hasHandler) errors.push(fieldError.forbidden(path.child(member), 'may not specify more than 1 handler type'))
    else errors.push(...validate(path.child(member)))
    hasHandler = true
  }
  return hasHandler ? errors : [fieldError.required(path, 'must specify a handler type')]
}

function validateHTTPGet(action: DeepReadonly<HTTPGetAction>, path: FieldPath): FieldErrorList {
  return [
    ...validateRequired(action.path, path.child('path')),
    ...validatePortNumberOrName(action.port, path.child('port')),
    ...validateSupported(action.scheme ?? '', schemes, path.child('scheme')),
    ...(action.httpHeaders ?? []).flatMap(({ name = '' }) => createInvalidErrors(isHTTPHeaderName(name), name, path.child('httpHeaders'))),
  ]
}

function validateSleep({ seconds = 0 }: DeepReadonly<SleepAction>, gracePeriod: number | undefined, path: FieldPath): FieldErrorList {
  if (gracePeriod === undefined || (0 <= seconds && seconds <= gracePeriod)) return []
  return [fieldError.invalid(path, seconds, `must be non-negative and less than terminationGracePeriodSeconds (${gracePeriod})`)]
}
