import type { AdmissionModule, BuiltinPluginsOptions, PluginFactory } from '@keelson/admission'
import { defaultTolerations, findModuleProblem } from '@keelson/admission'
import { isFunction, isNumber, isString, isListOf, isMapOf, isObjectOf } from '@keelson/apimachinery'
import type { OptionCheck, OptionTable } from '@keelson/apimachinery'

/** Selection and configuration of admission plugins. */
export interface AdmissionOptions extends BuiltinPluginsOptions {
  /** Plugins to enable in addition to the default ones. */
  readonly enable?: readonly string[]
  /** Default plugins to disable. */
  readonly disable?: readonly string[]
  /** Path of an AdmissionConfiguration file. */
  readonly configFile?: string
  /** Custom plugins by name. They run after the built-in ones and are enabled by default. */
  readonly plugins?: Readonly<Record<string, PluginFactory>>
  /** Admission rules in TypeScript. Each module runs at the place that it names; see `AdmissionModule`. */
  readonly modules?: readonly AdmissionModule[]
}

export const admissionDefaults: { readonly defaultTolerationSeconds: typeof defaultTolerations } = {
  defaultTolerationSeconds: defaultTolerations,
}

const isModule: OptionCheck = (value, path) => {
  const problem = findModuleProblem(value)
  return problem === undefined ? [] : [`${path}: ${problem}`]
}
const seconds = isNumber({ integer: true })

export const admissionChecks: OptionTable<AdmissionOptions> = {
  enable: isListOf(isString),
  disable: isListOf(isString),
  configFile: isString,
  plugins: isMapOf(isFunction),
  modules: isListOf(isModule),
  defaultTolerationSeconds: isObjectOf<NonNullable<AdmissionOptions['defaultTolerationSeconds']>>({
    notReadySeconds: seconds,
    unreachableSeconds: seconds,
  }),
}
