import { WireReader, WireWriter } from '@keelson/apimachinery/protobuf'

/**
 * A message of konnectivity's ProxyService, which carries connections through a gRPC stream. Both directions use the same type:
 *
 *     client                          server
 *     dialRequest(random, address) ──▶
 *                                  ◀── dialResponse(random, connectId or error)
 *     data(connectId)             ◀──▶ data(connectId)
 *     closeRequest(connectId)      ──▶
 *                                  ◀── closeResponse(connectId), also if the remote closes first
 */
export type Packet =
  | { readonly type: 'dialRequest'; readonly protocol: string; readonly address: string; readonly random: bigint }
  | { readonly type: 'dialResponse'; readonly error: string; readonly connectId: bigint; readonly random: bigint }
  | { readonly type: 'closeRequest'; readonly connectId: bigint }
  | { readonly type: 'closeResponse'; readonly error: string; readonly connectId: bigint }
  | { readonly type: 'data'; readonly connectId: bigint; readonly data: Uint8Array }
  | { readonly type: 'closeDial'; readonly random: bigint }

/** Names of the packet types by their number. */
const types = ['dialRequest', 'dialResponse', 'closeRequest', 'closeResponse', 'data', 'closeDial'] as const
/** Field numbers of the payloads. Their order is not that of the types. */
const payloadFields: Readonly<Record<Packet['type'], number>> = {
  dialRequest: 2,
  dialResponse: 3,
  data: 4,
  closeRequest: 5,
  closeResponse: 6,
  closeDial: 7,
}
const payloadTypes: ReadonlyMap<number, Packet['type']> = new Map(types.map((type) => [payloadFields[type], type]))

interface Field {
  readonly name: string
  readonly kind: 'text' | 'int64' | 'bytes'
}

const [error, connectId, random]: readonly Field[] = [
  { name: 'error', kind: 'text' },
  { name: 'connectId', kind: 'int64' },
  { name: 'random', kind: 'int64' },
]

/** Fields of each payload, in the order of their numbers. */
const fields: Readonly<Record<Packet['type'], readonly Field[]>> = {
  dialRequest: [{ name: 'protocol', kind: 'text' }, { name: 'address', kind: 'text' }, random!],
  dialResponse: [error!, connectId!, random!],
  closeRequest: [connectId!],
  closeResponse: [error!, connectId!],
  data: [connectId!, error!, { name: 'data', kind: 'bytes' }],
  closeDial: [random!],
}

const defaults = { text: '', int64: 0n, bytes: new Uint8Array(0) }

/** Encodes a packet with the prefix of a gRPC message. */
export function encodePacket(packet: Packet): Buffer {
  const values = packet as unknown as Readonly<Record<string, string | bigint | Uint8Array>>
  const number = types.indexOf(packet.type)
  const writer = new WireWriter(64 + (packet.type === 'data' ? packet.data.byteLength : 0))
  const mark = writer.mark()
  const known = fields[packet.type]
  // The writer starts at the last field.
  for (let i = known.length; i > 0; i--) {
    const value = values[known[i - 1]!.name]
    if (typeof value === 'bigint') writer.int64(i, value)
    else if (typeof value === 'string') writer.bytes(i, Buffer.from(value))
    else if (value !== undefined) writer.bytes(i, value)
  }
  writer.close(payloadFields[packet.type], mark)
  writer.integer(1, number)
  const message = writer.finish()
  const prefix = Buffer.alloc(5)
  prefix.writeUInt32BE(message.length, 1)
  return Buffer.concat([prefix, message])
}

/** Decodes a packet. Returns undefined for a packet of an unknown type. Throws if the bytes are not a packet. */
export function decodePacket(bytes: Buffer): Packet | undefined {
  const reader = new WireReader(bytes)
  let number = 0
  let payload: { readonly type: Packet['type']; readonly reader: WireReader } | undefined
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) number = reader.integer()
    const type = payloadTypes.get(field)
    if (type !== undefined) payload = { type, reader: reader.message() }
  }
  const type = types[number]
  if (type === undefined) return undefined
  const packet: Record<string, unknown> = { type }
  for (const { name, kind } of fields[type]) packet[name] = defaults[kind]
  if (payload?.type === type) readPayload(payload.reader, fields[type], packet)
  return packet as unknown as Packet
}

function readPayload(reader: WireReader, known: readonly Field[], packet: Record<string, unknown>): void {
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    const field = known[number - 1]
    if (field?.kind === 'text') packet[field.name] = reader.text()
    else if (field?.kind === 'int64') packet[field.name] = reader.int64()
    else if (field?.kind === 'bytes') packet[field.name] = reader.bytes()
  }
}
