/** The first part of version 1 of the baseline: its head, settings and detectors. */
export const BASELINE_1_SETTINGS = `apiVersion: weir/v1
kind: Policy
metadata:
  id: weir-baseline
  title: Built-in baseline, version 1
  owner: Weir
  description: Personal data is masked, live credentials and government ids stay inside, dangerous tools do not run.

# Bytes that can be neither recognised nor read: refused where prompts are read from, reported elsewhere.
unread: { governed: refuse, other: flag }

# Deadlines are generous, so that a busy machine does not refuse calls. A detector that is late counts as unavailable.
stages:
  pre: { deadline_ms: 2000 }
  post: { deadline_ms: 2000 }
  tool: { deadline_ms: 2000 }

detectors:
  pii:
    plugin: pii@^1
    timeout_ms: 2000
    # A bare run of digits passes many a check digit by chance. To act on it, a number must be grouped, have a format of
    # its own, or stand beside a word that names it.
    min_score:
      PHONE: 0.65
      DRIVER_LICENSE: 0.7
      PASSPORT: 0.7
      AR_CUIT: 0.7
      AT_SVNR: 0.7
      AU_MEDICARE: 0.7
      AU_TFN: 0.7
      BE_NATIONAL_NUMBER: 0.8
      BG_EGN: 0.7
      BR_CPF: 0.8
      CA_SIN: 0.7
      CH_AHV: 0.7
      CL_RUT: 0.7
      CN_RESIDENT_ID: 0.7
      CZ_RODNE_CISLO: 0.7
      DE_HEALTH_INSURANCE: 0.7
      DE_ID_CARD: 0.7
      DE_SOCIAL_SECURITY: 0.7
      DE_TAX_ID: 0.7
      DK_CPR: 0.7
      EE_ISIKUKOOD: 0.7
      ES_NIE: 0.7
      ES_NIF: 0.7
      FI_PERSONAL_IDENTITY_CODE: 0.7
      FR_NIR: 0.7
      GR_AMKA: 0.7
      HK_ID: 0.7
      HR_OIB: 0.7
      IE_PPS: 0.7
      IL_ID: 0.7
      IN_AADHAAR: 0.7
      IN_PAN: 0.7
      IN_VOTER: 0.7
      IT_FISCAL_CODE: 0.7
      IT_IDENTITY_CARD: 0.7
      JP_MY_NUMBER: 0.7
      KR_FRN: 0.7
      KR_RRN: 0.7
      LT_ASMENS_KODAS: 0.7
      MX_CURP: 0.7
      MY_NRIC: 0.7
      NG_NIN: 0.7
      NL_BSN: 0.7
      NO_FODSELSNUMMER: 0.8
      NZ_IRD: 0.7
      PH_TIN: 0.7
      PL_PESEL: 0.7
      PT_NIF: 0.7
      RO_CNP: 0.7
      RU_INN: 0.8
      RU_SNILS: 0.8
      SE_PERSONNUMMER: 0.7
      SG_NRIC: 0.7
      TH_TNIN: 0.7
      TR_NATIONAL_ID: 0.8
      TW_ID: 0.7
      UK_NHS: 0.7
      UK_NINO: 0.7
      US_ITIN: 0.7
      US_MBI: 0.7
      US_SSN: 0.7
      ZA_ID_NUMBER: 0.7
  secrets: { plugin: secrets@^1, timeout_ms: 2000 }
  prompt_injection: { plugin: prompt-injection@^1, timeout_ms: 2000 }

`;
