import type { UserInfo } from '@keelson/apimachinery'
import type { ServerChain } from '@keelson/control-plane'
import { testUserAgent } from './faults.ts'

/** A recorded request. Its values can be stored as JSON. */
export interface RecordedRequest {
  readonly method: string
  /** Path with the query. */
  readonly url: string
  readonly user: UserInfo
  readonly contentType?: string
  readonly bodyBase64?: string
  /** Code of the response. Absent if the connection was dropped. */
  readonly code?: number
}

/** Requests in the order of their arrival. */
export interface RequestRecording {
  readonly requests: readonly RecordedRequest[]
}

/** A recorded request that was sent again. */
export interface ReplayedRequest {
  readonly request: RecordedRequest
  readonly code: number
  /** True if the code is the recorded one. */
  readonly hasSameCode: boolean
}

/** Sends recorded requests one after the other, as their users. */
export async function replayRequests(
  server: Pick<ServerChain, 'fetch'>,
  { requests }: RequestRecording,
): Promise<readonly ReplayedRequest[]> {
  const replayed: ReplayedRequest[] = []
  for (const request of requests) {
    const { method, url, user, contentType, bodyBase64 } = request
    const response = await server.fetch(url, {
      method,
      user,
      headers: { 'user-agent': testUserAgent, ...(contentType !== undefined && { 'content-type': contentType }) },
      ...(bodyBase64 !== undefined && { body: Buffer.from(bodyBase64, 'base64') }),
    })
    await response.arrayBuffer()
    replayed.push({ request, code: response.status, hasSameCode: response.status === request.code })
  }
  return replayed
}
