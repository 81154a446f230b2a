/** One clause of an Accept header. */
export interface AcceptClause {
  readonly type: string
  readonly subtype: string
  readonly quality: number
  readonly parameters: Readonly<Record<string, string>>
}

/** Returns the media type of a Content-Type header without its parameters. Keeps the case of letters. Returns "" if there is no header. */
export function parseMediaType(header: string | undefined): string {
  if (header === undefined) return ''
  const semicolon = header.indexOf(';')
  return (semicolon < 0 ? header : header.slice(0, semicolon)).trim()
}

/** Returns the media types of a comma-separated header without their parameters, in the order of the header. */
export function parseMediaTypes(header: string): readonly string[] {
  return header.split(',').map(parseMediaType)
}

/** Returns the clauses of an Accept header in order of preference. Drops malformed clauses. */
export function parseAccept(header: string): AcceptClause[] {
  const clauses: AcceptClause[] = []
  for (const part of header.split(',')) {
    const clause = parseClause(part)
    if (clause !== undefined) clauses.push(clause)
  }
  return sortClauses(clauses)
}

function parseClause(part: string): AcceptClause | undefined {
  const [range = '', ...rest] = part.trim().split(';')
  const pieces = range.split('/')
  let type = pieces[0]!.trim()
  let subtype = pieces[1]?.trim() ?? ''
  if (subtype === '') {
    if (type !== '*') return undefined
    subtype = '*'
  }
  if (pieces.length > 2) return undefined
  let quality = 1
  const parameters: Record<string, string> = {}
  for (const parameter of rest) {
    const equals = parameter.indexOf('=')
    if (equals < 0 || parameter.indexOf('=', equals + 1) >= 0) continue
    const name = parameter.slice(0, equals).trim()
    const value = parameter.slice(equals + 1).trim()
    if (name === 'q') quality = Number.isNaN(Number(value)) ? 0 : Number(value)
    else parameters[name] = value
  }
  return { type, subtype, quality, parameters }
}

const insertedClauses = 12

/**
 * Sorts up to 12 clauses with insertion sort, like kube-apiserver. For unusual headers, `isBefore` is not transitive, so the result depends on
 * the algorithm. Uses a faster sort for longer lists, because a header may have a hundred thousand clauses.
 */
function sortClauses(clauses: AcceptClause[]): AcceptClause[] {
  if (clauses.length > insertedClauses) return clauses.sort(compareByPreference)
  const ordered: AcceptClause[] = []
  for (const clause of clauses) {
    let at = ordered.length
    while (at > 0 && isBefore(clause, ordered[at - 1]!)) at--
    ordered.splice(at, 0, clause)
  }
  return ordered
}

function compareByPreference(a: AcceptClause, b: AcceptClause): number {
  return Number(isBefore(b, a)) - Number(isBefore(a, b))
}

function isBefore(a: AcceptClause, b: AcceptClause): boolean {
  if (a.quality > b.quality) return true
  if (a.type !== '*' && b.type === '*') return true
  return a.subtype !== '*' && b.subtype === '*'
}
