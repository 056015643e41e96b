/** A corpus with its permitted use and the way its texts are read. */
export interface Source {
  /** File name without `.jsonl`. */
  readonly name: string;
  readonly licence: string;
  /** `train`: weights may be learnt from it. `measure`: only for measuring, for the reason in `why`. */
  readonly use: 'train' | 'measure';
  readonly why?: string;
  /** Maximum number of texts read from a corpus with other labels (personal data, secrets), whose texts are all harmless as prompts. */
  readonly harmlessTexts?: number;
}

/** Texts labelled `attack` or `benign` are used; `harmful` and `leak` are left out, since they are unrelated to injection. */
export const SOURCES: readonly Source[] = [
  { name: 'ben_alpaca_seed', licence: 'CC-BY-NC-4.0', use: 'measure', why: 'non-commercial' },
  { name: 'ben_awesome_prompts', licence: 'CC0-1.0', use: 'train' },
  { name: 'ben_bfcl_prompts', licence: 'Apache-2.0', use: 'train' },
  { name: 'ben_docs_code', licence: 'MIT, Apache-2.0; OWASP part CC-BY-SA-4.0', use: 'train' },
  { name: 'ben_mitre_frr', licence: 'MIT', use: 'train' },
  { name: 'ben_notinject', licence: 'MIT', use: 'measure', why: 'a benchmark of false alarms, kept unseen' },
  { name: 'ben_tau_instructions', licence: 'MIT', use: 'train' },
  { name: 'ben_tool_results', licence: 'MIT', use: 'train' },
  { name: 'ben_wildguard', licence: 'ODC-BY-1.0', use: 'train' },
  { name: 'ben_xstest', licence: 'CC-BY-4.0', use: 'train' },
  { name: 'inj_agentdojo', licence: 'MIT', use: 'train' },
  { name: 'inj_bipia', licence: 'MIT', use: 'train' },
  { name: 'inj_cyberseceval_en', licence: 'MIT', use: 'train' },
  { name: 'inj_cyberseceval_multilingual', licence: 'MIT', use: 'train' },
  { name: 'inj_garak', licence: 'Apache-2.0', use: 'train' },
  { name: 'inj_injecagent_toolresults', licence: 'MIT', use: 'train' },
  { name: 'inj_inthewild_jailbreaks', licence: 'MIT', use: 'train' },
  { name: 'inj_llmguard_tests', licence: 'MIT', use: 'train' },
  { name: 'inj_pint_samples', licence: 'MIT', use: 'train' },
  { name: 'inj_tensortrust_extract', licence: 'none', use: 'measure', why: 'no licence' },
  { name: 'inj_tensortrust_hijack', licence: 'none', use: 'measure', why: 'no licence' },
  { name: 'pii_nannigalaxy', licence: 'MIT', use: 'train', harmlessTexts: 700 },
  { name: 'pii_presidio_synth_v2', licence: 'MIT', use: 'train', harmlessTexts: 700 },
  { name: 'pii_tau_airline_users', licence: 'MIT', use: 'train', harmlessTexts: 700 },
  { name: 'pii_tau_retail_users', licence: 'MIT', use: 'train', harmlessTexts: 700 },
  { name: 'pii_wnut17', licence: 'CC-BY-4.0', use: 'train', harmlessTexts: 700 },
  { name: 'sec_detect_secrets', licence: 'Apache-2.0', use: 'train', harmlessTexts: 700 },
  { name: 'sec_gitleaks', licence: 'MIT', use: 'train', harmlessTexts: 700 },
  { name: 'sec_secretlint', licence: 'MIT', use: 'train', harmlessTexts: 700 },
];

/** Whether a record may be used for training; some records of a training source have another licence than the rest. */
export function mayTrain(source: Source, id: string): boolean {
  return source.use === 'train' && !/owasp|cheatsheet/i.test(id);
}
