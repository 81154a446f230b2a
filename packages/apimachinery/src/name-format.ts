import { exceedsBytes, memoizeByText } from './go-text.ts'

/**
 * Error messages about a name, key or value. Empty if it is valid. The wording matches kube-apiserver, including "characters" for names and
 * "bytes" for label keys and values.
 */
export type Messages = readonly string[]

const label1123 = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
const subdomain1123 = `${label1123}(\\.${label1123})*`
const label1035 = '[a-z]([-a-z0-9]*[a-z0-9])?'
const underscored1123 = '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?'
const subdomainUnderscored = `${underscored1123}(\\.${underscored1123})*`
const labelKey = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'

const subdomainRule =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character"
const nameEnds = 'and must start and end with an alphanumeric character'

export function formatMaxLengthMessage(length: number): string {
  return `must be no more than ${length} characters`
}

export function formatMaxBytesMessage(length: number): string {
  return `must be no more than ${length} bytes`
}

export function formatInclusiveRangeMessage(low: number, high: number): string {
  return `must be between ${low} and ${high}, inclusive`
}

export function formatRegexMessage(rule: string, format: string, ...examples: string[]): string {
  const start = examples.length === 0 ? '(' : `(e.g. ${examples.map((example) => `'${example}', `).join(' or ')}`
  return `${rule} ${start}regex used for validation is '${format}')`
}

export const emptyMessage: string = 'must be non-empty'

interface Format {
  readonly regex: RegExp
  readonly message: string
  readonly max?: number
  readonly tooLong?: (max: number) => string
}

function format(rule: string, source: string, examples: readonly string[], max?: number, tooLong = formatMaxLengthMessage): Format {
  return {
    regex: new RegExp(`^(?:${source})$`),
    message: formatRegexMessage(rule, source, ...examples),
    ...(max === undefined ? undefined : { max, tooLong }),
  }
}

/** Result for valid input: no messages. */
const noMessages: Messages = []

function check(value: string, { regex, message, max, tooLong }: Format): Messages {
  const fits = max === undefined || !exceedsBytes(value, max)
  const matches = regex.test(value)
  if (fits && matches) return noMessages
  return [...(fits ? [] : [tooLong!(max)]), ...(matches ? [] : [message])]
}

const dns1123Label = format(
  `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', ${nameEnds}`,
  label1123,
  ['my-name', '123-abc'],
  63,
)
const dns1123Subdomain = format(subdomainRule, subdomain1123, ['example.com'], 253)
const dns1123SubdomainBytes = format(subdomainRule, subdomain1123, ['example.com'], 253, formatMaxBytesMessage)
const dns1123SubdomainWithUnderscore = format(
  `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', ${nameEnds}`,
  subdomainUnderscored,
  ['example.com'],
  253,
)
const dns1035Label = format(
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  label1035,
  ['my-name', 'abc-123'],
  63,
)
const wildcardSubdomain = format(
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
  `\\*\\.${subdomain1123}`,
  ['*.example.com'],
  253,
)
const labelName = format(`must consist of alphanumeric characters, '-', '_' or '.', ${nameEnds}`, labelKey, [
  'MyName',
  'my.name',
  '123-abc',
])
const labelValue = format(
  `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', ${nameEnds}`,
  `(${labelKey})?`,
  ['MyValue', 'my_value', '12345'],
  63,
  formatMaxBytesMessage,
)
const cIdentifier = format(
  "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'",
  '[A-Za-z_][A-Za-z0-9_]*',
  ['my_name', 'MY_NAME', 'MyName'],
)
const percent = format("a valid percent string must be a numeric string followed by an ending '%'", '[0-9]+%', ['1%', '93%'])
const httpHeaderName = format("a valid HTTP header must consist of alphanumeric characters or '-'", '[-A-Za-z0-9]+', ['X-Header-Name'])
const envVarName = format(
  "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit",
  '[-._a-zA-Z][-._a-zA-Z0-9]*',
  ['my.env-name', 'MY_ENV.NAME', 'MyEnvName1'],
)
const configMapKey = format(
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
  '[-._a-zA-Z0-9]+',
  ['key.name', 'KEY_NAME', 'key-name'],
  253,
)

export function isDNS1123Label(value: string): Messages {
  const messages = check(value, dns1123Label)
  if (messages.length === 0) return messages
  // A valid subdomain that is not a valid label must contain dots.
  return messages.map((message) =>
    message === dns1123Label.message && dns1123Subdomain.regex.test(value) ? 'must not contain dots' : message,
  )
}

export function isDNS1123Subdomain(value: string): Messages {
  return check(value, dns1123Subdomain)
}

export function isDNS1123SubdomainWithUnderscore(value: string): Messages {
  return check(value, dns1123SubdomainWithUnderscore)
}

export function isDNS1035Label(value: string): Messages {
  return check(value, dns1035Label)
}

export function isWildcardDNS1123Subdomain(value: string): Messages {
  return check(value, wildcardSubdomain)
}

/** Validates a label key: an optional DNS prefix with a slash, and a name. */
export function isQualifiedName(value: string): Messages {
  return qualifiedNameMessages(value)
}

const qualifiedNameMessages = memoizeByText((value): Messages => {
  const segments = value.split('/')
  if (segments.length > 2) {
    return [`a valid label key ${labelName.message} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`]
  }
  const messages: string[] = []
  const name = segments.at(-1)!
  if (segments.length === 2) {
    const prefixMessages = segments[0] === '' ? [emptyMessage] : check(segments[0]!, dns1123SubdomainBytes)
    messages.push(...prefixMessages.map((message) => `prefix part ${message}`))
  }
  if (name === '') messages.push(`name part ${emptyMessage}`)
  else if (exceedsBytes(name, 63)) messages.push(`name part ${formatMaxBytesMessage(63)}`)
  if (!labelName.regex.test(name)) messages.push(`name part ${labelName.message}`)
  return messages
})

export function isValidLabelValue(value: string): Messages {
  return check(value, labelValue)
}

export function isCIdentifier(value: string): Messages {
  return check(value, cIdentifier)
}

export function isValidPercent(value: string): Messages {
  return check(value, percent)
}

export function isHTTPHeaderName(value: string): Messages {
  return check(value, httpHeaderName)
}

export function isEnvVarName(value: string): Messages {
  return withParentDirectory(check(value, envVarName), value)
}

/** Validates the name of an environment variable by kubelet's relaxed rules: printable ASCII without "=". */
export function isRelaxedEnvVarName(value: string): Messages {
  if (value === '') return [`environment variable name ${emptyMessage}`]
  return /^[ -<>-~]*$/.test(value)
    ? noMessages
    : ["a valid environment variable name must consist only of printable ASCII characters other than '='"]
}

export function isConfigMapKey(value: string): Messages {
  return withParentDirectory(check(value, configMapKey), value)
}

export function isValidPortNum(port: number): Messages {
  return isInRange(port, 1, 65535)
}

export function isInRange(value: number, low: number, high: number): Messages {
  return low <= value && value <= high ? noMessages : [formatInclusiveRangeMessage(low, high)]
}

export function isValidUserID(id: number): Messages {
  return isInRange(id, 0, 2147483647)
}

export function isValidGroupID(id: number): Messages {
  return isInRange(id, 0, 2147483647)
}

export function isValidPortName(name: string): Messages {
  const messages: string[] = []
  if (exceedsBytes(name, 15)) messages.push(formatMaxLengthMessage(15))
  if (!/^[-a-z0-9]+$/.test(name)) messages.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)')
  if (!/[a-z]/.test(name)) messages.push('must contain at least one letter (a-z)')
  if (name.includes('--')) messages.push('must not contain consecutive hyphens')
  if (name.startsWith('-') || name.endsWith('-')) messages.push('must not begin or end with a hyphen')
  return messages
}

/** Validates a name that only needs to be a valid path segment of a URL, as in RBAC. `prefix` is true for generateName. */
export function isPathSegmentName(name: string, prefix = false): Messages {
  const messages: string[] = []
  if (!prefix && (name === '.' || name === '..')) messages.push(`may not be '${name}'`)
  for (const char of ['/', '%']) if (name.includes(char)) messages.push(`may not contain '${char}'`)
  return messages
}

/** Validates the name of most kinds: a DNS subdomain. `prefix` is true for generateName, which may end with a dash. */
export function nameIsDNSSubdomain(name: string, prefix: boolean): Messages {
  return isDNS1123Subdomain(prefix ? maskTrailingDash(name) : name)
}

export function nameIsDNSLabel(name: string, prefix: boolean): Messages {
  return isDNS1123Label(prefix ? maskTrailingDash(name) : name)
}

export function nameIsDNS1035Label(name: string, prefix: boolean): Messages {
  return isDNS1035Label(prefix ? maskTrailingDash(name) : name)
}

function maskTrailingDash(name: string): string {
  return name.length > 1 && name.endsWith('-') ? `${name.slice(0, -2)}a` : name
}

function withParentDirectory(messages: Messages, value: string): Messages {
  if (value === '.' || value === '..') return [...messages, `must not be '${value}'`]
  return value.startsWith('..') ? [...messages, "must not start with '..'"] : messages
}
