import type { RuleQuestion } from '@keelson/apiextensions/testing'
import { exampleVocabulary, expressionTypes, RandomExpressions } from '../cel/random-expressions.ts'
import type { ExpressionType, Vocabulary } from '../cel/random-expressions.ts'
import { RandomObjects } from './random-objects.ts'
import type { JsonObject } from './random-objects.ts'

type Leaves = Partial<Record<ExpressionType, string>>

/** Adds the members of `self` to the constants of the example vocabulary. Expressions are separated by two spaces. */
function createVocabulary(members: Leaves, moreProductions: Leaves = {}): Vocabulary {
  const { leaves, productions } = exampleVocabulary
  return {
    leaves: changeTexts(leaves, (constants, type) => {
      const functions = splitWords(members[type])
      const expressions = [...functions, ...functions, ...functions, ...functions, ...constants]
      return expressions.length === 0 ? ['dyn(1)'] : expressions
    }),
    productions: changeTexts(productions, (templates, type) => [...templates, ...splitWords(moreProductions[type])]),
  }
}

const usesExample = /(?<![\w."])(?:x\.|[silm](?![\w"(]))/

/** Changes the texts of each type, without those that use variables of the example vocabulary. */
function changeTexts(texts: Texts, change: (texts: readonly string[], type: ExpressionType) => readonly string[]): Texts {
  const copy: Record<ExpressionType, readonly string[]> = { ...texts }
  for (const type of expressionTypes)
    copy[type] = change(
      texts[type].filter((text) => !usesExample.test(text)),
      type,
    )
  return copy
}

type Texts = Readonly<Record<ExpressionType, readonly string[]>>

function splitWords(text = ''): readonly string[] {
  return text.split('  ').filter((word) => word !== '')
}

/** Members of the schema of `RandomObjects`. */
const specMembers: Leaves = {
  int: 'self.i  self.li[0]  self.o.n  self.ml[0].v  self.mi.a  size(self.li)  size(self.mo)  size(self.ml)  self.o.sub.x  self.si[0]  oldSelf.i  size(oldSelf.ss)  self.mo.a.n',
  double: 'self.f  self.lf[0]  oldSelf.f',
  string:
    'self.s  self.a__dash__b  self.__namespace__  self.namespace  self.ls[0]  self.ss[0]  self.ms.a  self.ml[0].k  self.o.name  self.e  oldSelf.s  self.er.kind  self.er.metadata.name  self.__underscores__u__underscores__  self.nu  self.mo.a.s  self.c__dot__d',
  bool: 'self.b  has(self.s)  has(self.o.name)  has(self.ios)  has(self.a__dash__b)  has(self.nu)  oldSelf.b  has(oldSelf.o)  has(self.er.metadata.name)',
  bytes: 'self.by  oldSelf.by',
  duration: 'self.d  oldSelf.d',
  timestamp: 'self.t  self.da  self.ts[0]  self.o.t  oldSelf.t  self.ml[0].w',
  listInt: 'self.li  self.si  oldSelf.li  oldSelf.si  self.nl',
  listStr: 'self.ls  self.ss  oldSelf.ss',
  mapStr: 'self.ms  oldSelf.ms',
  dyn: 'self.ios  self.lios[0]  self.lios  dyn(self.o)  dyn(self.ml)  dyn(self.ms)  dyn(self.mo)  self.ml[0]  self.o  self.lo  self.ts  self.er  dyn(self.lo[0])  self.ml2  oldSelf.ml  oldSelf.o  self.pres  self.lf  oldSelf.ios  dyn(self.nu)  self.nl[0]',
  optInt: 'self.?i  self.li[?0]  self.o.?n  self.ml[?0].?v  self.?o.n  self.mi[?"a"]  oldSelf.?i',
}
const comparisons: Leaves = {
  bool: 'self.<ml|o|ss|si|li|ls|ms|mo|ml2|lo|ts|er|pres|t|nl|lf|lios|ios> <==|!=> oldSelf.<ml|o|ss|si|li|ls|ms|mo|ml2|lo|ts|er|pres|t|nl|lf|lios|ios>  dyn(self.<ml|o|ss|si|li|ls|ms|mo|ml2|lo|ts|er|pres|lf|nl|by|d|da>) <==|!=> dyn(<self|oldSelf>.<ml|o|ss|si|li|ls|ms|mo|ml2|lo|ts|er|pres|lf|nl|by|d|da>)  dyn(self) == dyn(oldSelf)  ($dyn in self.<li|ss|si|ms|lios|ml|lo|ts>)  self.<ml|lo>.<all|exists|exists_one>(e, e.<k|v> <==|!=> <$int|$string>)  self.ml.<all|exists>(e, oldSelf.ml.<all|exists>(f, e.k <==|!=> f.k))  self.<ms|mo|mi>.<all|exists>(k, k <==|!=> $string)  self.ms.all(k, v, k != v)  has(self.o.<name|n|t|sub|zz>)  has(self.ms.<a|b>)  sets.<contains|intersects|equivalent>(self.si, $listInt)  sets.<contains|equivalent>(self.<ml|lo|ts>, oldSelf.<ml|lo|ts>)  self.o.sub <==|!=> oldSelf.o.sub  self.t.getFullYear() > $int  format.named("<uuid|dns1123Label|date>").hasValue()  self.i in [1, 2, 3]  self.s in ["a", "b", "abc"]',
  listInt: '(self.<li|si> + $listInt)  self.ml.map(e, e.v)  self.ml.filter(e, e.v > $int).map(e, e.v)  oldSelf.li + self.li',
  listStr: '(self.<ls|ss> + $listStr)  self.ml.map(e, e.k)  self.<ms|mi|mo>.map(k, k)  self.lo.map(e, e.k)',
  dyn: '(self.ml + oldSelf.ml)  (dyn(self.<ml|ss|si|li|lo|ts|lf|nl>) + dyn(<self|oldSelf>.<ml|ss|si|li|lo|ts|lf|nl>))  (dyn(self.<ml|ss|si|li|lo|ts|lf|nl>) + $dyn)  dyn(self).<any|pres|er>  dyn(self.er).<spec|kind>  self.er.?metadata.?<name|zz>  (self.ss + oldSelf.ss)  (self.lo + [self.lo[0]])  (self.ts + [$timestamp])  (self.ml + self.lo)  self.ml.filter(e, $bool)  self.ml.map(e, e)  dyn(self).<i|s|ml|zz>  dyn(self.o)["<name|n>"]  [self.o, oldSelf.o]  {"a": self.o}  optional.of(self.o).<name|n>  optional.of(self.ml)[0]  self.?<o|ml|ms|t>  (self.pres == oldSelf.pres)',
  optInt: 'oldSelf.?<i|o|ml>  optional.of(self.o).n  self.?o.?sub.x',
}
const itemMembers: Leaves = {
  int: 'self.v  oldSelf.v',
  string: 'self.k  oldSelf.k  self.note__dash__text',
  timestamp: 'self.w',
  bool: 'has(self.w)  has(self.k)  self == oldSelf',
  dyn: 'dyn(self)  dyn(self.v)',
  optInt: 'self.?v',
}
const intMembers: Leaves = { int: 'self  self  oldSelf', dyn: 'dyn(self)', bool: 'self == oldSelf' }
const textMembers: Leaves = { string: 'self  self  oldSelf', dyn: 'dyn(self)' }
const optionalMembers: Leaves = {
  ...specMembers,
  int: 'self.i  oldSelf.value().i  oldSelf.value().o.n  oldSelf.orValue(self).i  oldSelf.i.orValue(1)  size(oldSelf.value().ml)',
  string: 'self.s  oldSelf.value().s  oldSelf.?s.orValue("none")  oldSelf.value().a__dash__b  oldSelf.?o.name.orValue("x")',
  bool: 'oldSelf.hasValue()  has(oldSelf.s)  has(oldSelf.value().o)  self.b  oldSelf.value() == self  oldSelf.?o == self.?o  oldSelf.optMap(o, o.i == self.i).orValue(false)  oldSelf.value().ml == self.ml  self.t == oldSelf.value().t  oldSelf.?ml[0].v.hasValue()',
  bytes: 'self.by  oldSelf.value().by',
  duration: 'self.d  oldSelf.value().d',
  timestamp: 'self.t  oldSelf.value().t  oldSelf.value().da',
  double: 'self.f  oldSelf.value().f',
  listInt: 'self.li  oldSelf.value().li',
  listStr: 'self.ss  oldSelf.value().ss  oldSelf.?ls.orValue([])',
  mapStr: 'self.ms  oldSelf.value().ms',
  dyn: 'self.ios  oldSelf.value()  oldSelf.value().o  oldSelf.?o.sub  oldSelf.value().ml  dyn(oldSelf)  oldSelf',
  optInt: 'self.?i  oldSelf.?i  oldSelf.i  oldSelf.?o.n  oldSelf.?li[?0]',
}

/** Generates schemas with random rules, and objects for them. */
export class RandomRules {
  readonly #objects: RandomObjects
  readonly #spec: RandomExpressions
  readonly #optional: RandomExpressions
  readonly #item: RandomExpressions
  readonly #int: RandomExpressions
  readonly #text: RandomExpressions

  constructor(seed: number) {
    this.#objects = new RandomObjects(seed)
    this.#spec = new RandomExpressions(seed, createVocabulary(specMembers, comparisons))
    this.#optional = new RandomExpressions(seed + 1, createVocabulary(optionalMembers))
    this.#item = new RandomExpressions(seed + 2, createVocabulary(itemMembers))
    this.#int = new RandomExpressions(seed + 3, createVocabulary(intMembers))
    this.#text = new RandomExpressions(seed + 4, createVocabulary(textMembers))
  }

  next(): RuleQuestion {
    const random = this.#objects
    const schema = random.schema()
    const { properties } = schema as { properties: Record<string, JsonObject> }
    const [place, expressions] = random.pick<readonly [JsonObject, RandomExpressions]>([
      [schema, this.#spec],
      [schema, this.#spec],
      [schema, this.#spec],
      [schema, this.#optional],
      [properties['ml']!['items'] as JsonObject, this.#item],
      [properties['li']!['items'] as JsonObject, this.#int],
      [properties['mi']!['additionalProperties'] as JsonObject, this.#int],
      [properties['ss']!['items'] as JsonObject, this.#text],
      [properties['s']!, this.#text],
    ])
    place['x-kubernetes-validations'] = Array.from({ length: random.below(2) + 1 }, () => ({
      rule: expressions.next('bool'),
      ...(random.chance(0.7) ? { messageExpression: this.#message(expressions) } : {}),
      ...(expressions === this.#optional ? { optionalOldSelf: true } : {}),
    }))
    const isRoot = place === schema && random.chance(0.15)
    const spec = random.object()
    const old = random.chance(0.65) ? random.changed(spec) : undefined
    return isRoot
      ? { schema: { ...schema }, object: { ...spec, kind: 'Widget', metadata: { name: 'a' } }, ...(old !== undefined && { old }) }
      : { schema: { type: 'object', properties: { spec: schema } }, object: { spec }, ...(old !== undefined && { old: { spec: old } }) }
  }

  #message(expressions: RandomExpressions): string {
    const random = this.#objects
    return random.chance(0.5) ? expressions.next('string') : `"<%s>".format([${expressions.next()}])`
  }
}
