/** Scalar types of the generated expressions. */
const scalars = ['int', 'uint', 'double', 'string', 'bool', 'bytes', 'duration', 'timestamp'] as const
/** The types of generated expressions. */
export const expressionTypes = [...scalars, 'listInt', 'listStr', 'mapStr', 'dyn', 'optInt'] as const
/** A type of generated expressions. */
export type ExpressionType = (typeof expressionTypes)[number]
type Type = ExpressionType

/** The parts of generated expressions. */
export interface Vocabulary {
  /** The simplest expressions of each type. */
  readonly leaves: Readonly<Record<ExpressionType, readonly string[]>>
  /**
   * Templates of larger expressions, by type. `$type` stands for an expression of that type, and `$any` for an expression of any type.
   * `NAME:type` declares a variable for the rest of the expression. `a|b` in angle brackets is a choice.
   */
  readonly productions: Readonly<Record<ExpressionType, readonly string[]>>
}

/**
 * The simplest expressions of each type. They use the variables of `@keelson/cel/testing`. Maps have one entry, because the order of Go
 * maps is random.
 */
const leaves: Readonly<Record<Type, readonly string[]>> = {
  int: ['0', '1', '7', '-3', 'i', '9223372036854775807', '-9223372036854775808', '9007199254740993', '4294967296'],
  uint: ['0u', '1u', '7u', '18446744073709551615u'],
  double: ['0.0', '1.5', '-2.25', '1e300', '1e-7', '100.0', '0.1', "double('nan')", "double('-inf')", '123456789.0'],
  string: [
    '""',
    '"a"',
    '"abc"',
    '"😀é"',
    's',
    '"a,b,c"',
    '"1.5"',
    '"10"',
    '"2023-05-06T07:08:09.123Z"',
    '"1h30m"',
    '"x y"',
    '"true"',
    '" t "',
  ],
  bool: ['true', 'false'],
  bytes: ['b"abc"', 'b""', 'b"\\xff"'],
  duration: ['duration("1h")', 'duration("90s")', 'duration("-1.5s")', 'duration("1ns")', 'duration("2562047h")'],
  timestamp: [
    'timestamp("2023-05-06T07:08:09.123Z")',
    'timestamp("0001-01-01T00:00:00Z")',
    'timestamp("9999-12-31T23:59:59Z")',
    'timestamp("2020-02-29T23:59:59.999999999+05:30")',
  ],
  listInt: ['[1, 2, 3]', '[]', 'l', '[3, 1, 2, 1]', '[i]'],
  listStr: ['["a", "b"]', '["x", "abc", "a"]', '[s]', '["c", "a", "b", "a"]'],
  mapStr: ['{"a": "b"}', '{"k": s}', '{}'],
  dyn: 'x.a x.s x.t x.l x.nul x.f15 x.zz x.strs x.mixed x.o.p x.neg x.big x.key dyn(1u) dyn(duration("1s")) dyn(null) dyn(1.0)'.split(' '),
  optInt: ['optional.of(1)', 'optional.none()', 'x.?a', 'l[?0]', 'l[?9]', 'optional.ofNonZeroValue(i)'],
}

const productions: Readonly<Record<Type, readonly string[]>> = {
  int: [
    '($int <+|-|*|/|%> $int)',
    '($int <+|-|*> $int)',
    '-($int)',
    'size(<$string|$bytes|$listInt|$listStr|$mapStr|$dyn>)',
    'int(<$string|$double|$uint|$int|$duration|$timestamp|$dyn>)',
    '($listInt)[$int]',
    '($string).<indexOf|lastIndexOf>($string)',
    '($string).<indexOf|lastIndexOf>($string, $int)',
    '($timestamp).<getFullYear|getMonth|getDate|getDayOfMonth|getDayOfWeek|getDayOfYear|getHours|getMinutes|getSeconds|getMilliseconds>()',
    '($timestamp).<getDate|getDayOfWeek|getHours|getMinutes>(<"America/New_York"|"Asia/Kolkata"|"-03:30"|"Europe/Berlin"|$string>)',
    '($duration).<getHours|getMinutes|getSeconds|getMilliseconds>()',
    '($listInt).<sum|min|max>()',
    '($listInt).indexOf($int)',
    '($optInt).orValue($int)',
    '($optInt).value()',
  ],
  uint: ['($uint <+|-|*|/|%> $uint)', 'uint(<$string|$int|$double|$dyn>)'],
  double: ['($double <+|-|*|/> $double)', 'double(<$int|$uint|$string|$dyn>)', '-($double)'],
  string: [
    '($string + $string)',
    'string(<$int|$uint|$double|$bool|$bytes|$duration|$timestamp|$dyn|$string>)',
    '($string).substring($int, $int)',
    '($string).charAt($int)',
    '($string).replace($string, $string)',
    '($string).replace($string, $string, $int)',
    '($string).<lowerAscii|upperAscii|trim>()',
    '($listStr).join($string)',
    'strings.quote($string)',
    '<"%s"|"%d"|"%x"|"%b"|"%.2f"|"%e"|"%o"|"%X"|"%s-%s">.format([$any])',
    '($mapStr)[$string]',
    '($mapStr).a',
    '($string).find(<"[a-z]+"|"^.?"|"a*"|"(b,c)+"|$string>)',
    '($listStr)[$int]',
    '($listStr).<min|max>()',
  ],
  bool: [
    '($bool <&&|OR> $bool)',
    '($bool <&&|OR> $bool)',
    '!($bool)',
    '($any <==|!=> $any)',
    '($int <==|!=> $int)',
    '($dyn <==|!=> $any)',
    '(<$int|$uint|$double> <\\<|\\<=|\\>|\\>=> <$int|$uint|$double>)',
    '($string <\\<|\\>=> <$string|$dyn>)',
    '($dyn <\\<|\\>> $dyn)',
    '($string).<contains|startsWith|endsWith>(<$string|$dyn>)',
    '($string).matches(<"[a-z]+"|"^a"|"c$"|$string>)',
    '($dyn).matches("^[a-z]*$")',
    '($int in $listInt)',
    '($string in <$listStr|$mapStr>)',
    '($dyn in <$listInt|$dyn|$listStr|$mapStr>)',
    'has(<x.a|x.zz|x.o.p|x.o.zz|m.a|m.zz|x.zz.a|x.nul.a|x.l.a>)',
    '($listInt).<all|exists|exists_one>(NAME:int, $bool)',
    '($listStr).<all|exists|exists_one>(NAME:string, $bool)',
    '($dyn).<all|exists|exists_one>(NAME:dyn, $bool)',
    '($listInt).<all|exists|existsOne>(NAME:int, NAME:int, $bool)',
    '($mapStr).<all|exists|existsOne>(NAME:string, NAME:string, $bool)',
    '($listInt).isSorted()',
    'sets.<contains|intersects|equivalent>($listInt, $listInt)',
    '($optInt).hasValue()',
    'bool(<$string|$bool|$dyn>)',
    '(type($any) == <int|string|list|map|double|uint>)',
    '<isQuantity|isIP|isCIDR|isURL|isSemver>($string)',
  ],
  bytes: ['($bytes + $bytes)', 'bytes($string)'],
  duration: ['($duration <+|-> $duration)', 'duration($string)', '($timestamp - $timestamp)'],
  timestamp: ['($timestamp <+|-> $duration)', 'timestamp(<$string|$int>)'],
  listInt: [
    '($listInt + $listInt)',
    '[$int, $int]',
    '($listInt).map(NAME:int, $int)',
    '($listInt).map(NAME:int, $bool, $int)',
    '($listInt).filter(NAME:int, $bool)',
    '($listInt).transformList(NAME:int, NAME:int, $int)',
    '($listInt).<sort|reverse|distinct>()',
    '($listInt).slice($int, $int)',
    'lists.range(<0|3|5|i>)',
    '[$listInt, $listInt].flatten()',
    '($listInt).sortBy(NAME:int, $int)',
    '[?$optInt, $int]',
  ],
  listStr: [
    '($listStr + $listStr)',
    '($string).split($string)',
    '($string).split($string, $int)',
    '($listStr).map(NAME:string, $string)',
    '($mapStr).map(NAME:string, $string)',
    '($string).findAll(<"[a-z]"|"."|"a*"|"x?">)',
    '($listStr).<sort|reverse|distinct>()',
    '["a", $string]',
  ],
  mapStr: ['{$string: $string}', '($mapStr).transformMap(NAME:string, NAME:string, $string)'],
  dyn: [
    'dyn($dyn).<a|s|zz|o|p|q>',
    'dyn($dyn)[<$int|$string|$double|$uint|$bool>]',
    '($dyn <+|-|*|/|%> $dyn)',
    '($dyn <+|-> $int)',
    '<x.?a|x.?zz|x.?o.p|x.?o.?zz.q|m[?"a"]|x.l[?1]|x.?l[7]|x.?strs[?0]>.orValue($dyn)',
    'dyn($any)',
  ],
  optInt: [
    '($listInt)[?$int]',
    '($listInt).<first|last>()',
    '($optInt).optMap(NAME:int, $int)',
    '($optInt).optFlatMap(NAME:int, $optInt)',
    '($optInt).or($optInt)',
    'optional.of($int)',
  ],
}

/** The vocabulary with the variables of `@keelson/cel/testing`. */
export const exampleVocabulary: Vocabulary = { leaves, productions }

const maxDepth = 4
const maxLength = 600
const leafShare = 0.1
const dynShare = 0.06

/** Generates random expressions with correct syntax. Some do not compile, and many fail when they are evaluated. */
export class RandomExpressions {
  readonly #vocabulary: Vocabulary
  #state: number
  #locals: { readonly name: string; readonly type: string }[] = []
  #count = 0

  constructor(seed: number, vocabulary: Vocabulary = exampleVocabulary) {
    this.#state = seed >>> 0
    this.#vocabulary = vocabulary
  }

  /** Returns an expression of a type. The type is random by default. */
  next(type?: ExpressionType): string {
    for (;;) {
      this.#locals = []
      this.#count = 0
      const text = this.#expression(type ?? this.#pick(expressionTypes), 1 + this.#below(maxDepth))
      if (text.length <= maxLength) return text
    }
  }

  #expression(type: Type, depth: number): string {
    if (depth > 0 && type !== 'dyn' && this.#random() < dynShare) return this.#expression('dyn', depth - 1)
    if (depth > 0 && this.#random() < leafShare / 2) return this.#expand(`($bool ? $${type} : $${type})`, depth - 1)
    if (depth > 0 && this.#random() >= leafShare) return this.#expand(this.#pick(this.#vocabulary.productions[type]), depth - 1)
    const locals = this.#locals.filter((local) => local.type === type).map(({ name }) => name)
    return this.#pick([...this.#vocabulary.leaves[type], ...locals, ...locals, ...locals])
  }

  #expand(template: string, depth: number): string {
    const localCount = this.#locals.length
    const chosen = template.replace(/<((?:\\.|[^<>\\])*)>/g, (_, choices: string) => this.#pick(choices.split('|')))
    const text = chosen.replace(/\$(\w+)|NAME:(\w+)/g, (found, type: string | undefined, local: string | undefined) => {
      if (local !== undefined) return this.#declare(local)
      if (type === 'any') return this.#expression(this.#pick(expressionTypes), depth)
      return isType(type) ? this.#expression(type, depth) : found
    })
    this.#locals.length = localCount
    return text.replaceAll('OR', '||').replaceAll('\\<', '<').replaceAll('\\>', '>')
  }

  #declare(type: string): string {
    const name = `v${this.#count++}`
    this.#locals.push({ name, type })
    return name
  }

  #pick<T>(choices: readonly T[]): T {
    return choices[this.#below(choices.length)]!
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit)
  }

  /** Returns a random number from 0 to 1 (Mulberry32 algorithm). */
  #random(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

function isType(name: string | undefined): name is Type {
  return expressionTypes.some((type) => type === name)
}
