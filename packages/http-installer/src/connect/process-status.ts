import { newInternal } from '@keelson/apimachinery'
import type { Status } from '@keelson/apimachinery'

const success: Status = { metadata: {}, status: 'Success' }
const withStatus = new Set(['v4.channel.k8s.io', 'v5.channel.k8s.io'])

/**
 * Parses the text that a kubelet sent on the error stream of a process. Since protocol version 4 it is a Status, before that plain text.
 */
export function parseProcessStatus(protocol: string, text: string): Status {
  if (text === '') return success
  if (!withStatus.has(protocol)) return createInternalStatus(`error executing remote command: ${text}`)
  let status: Partial<Status>
  try {
    status = JSON.parse(text) as Partial<Status>
  } catch (error) {
    return createInternalStatus(`error stream protocol error: ${(error as Error).message} in ${JSON.stringify(text)}`)
  }
  if (status.status === 'Success') return success
  if (status.status !== 'Failure') return createInternalStatus('error stream protocol error: unknown error')
  if ((status.reason as string) !== 'NonZeroExitCode') return createInternalStatus(status.message ?? '')
  if (status.details === undefined) return createInternalStatus('error stream protocol error: details must be set')
  const code = status.details.causes?.find(({ reason }) => reason === 'ExitCode')?.message
  if (code === undefined) return createInternalStatus('error stream protocol error: no ExitCode cause given')
  if (!/^\d+$/.test(code) || Number(code) > 255)
    return createInternalStatus(`error stream protocol error: invalid exit code value ${JSON.stringify(code)}`)
  return {
    metadata: {},
    status: 'Failure',
    message: `command terminated with non-zero exit code: command terminated with exit code ${Number(code)}`,
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: String(Number(code)) }] },
  }
}

function createInternalStatus(message: string): Status {
  return newInternal(message).status
}
