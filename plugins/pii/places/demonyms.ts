/**
 * Places and groups of people, found by lists. Most of them count only in a context that makes them personal.
 */

const list = (text: string): readonly string[] => text.trim().split(/\s*[,\n]\s*/);

/** Nationalities, peoples, religions and political groups, as adjectives and nouns; after ISO 3166 and common usage. */
export const GROUPS: readonly string[] = list(`
Afghan, Albanian, Algerian, American, Andorran, Angolan, Argentine, Argentinian, Armenian, Aruban, Australian, Austrian, Azerbaijani, Azeri, Bahamian, Bahraini,
Bangladeshi, Barbadian, Belarusian, Belgian, Belizean, Belizian, Beninese, Bermudian, Bhutanese, Bolivian, Bosnian, Botswanan, Brazilian, British, Bruneian, Bulgarian,
Burkinabe, Burmese, Burundian, Cambodian, Cameroonian, Canadian, Cape Verdean, Catalan, Chadian, Chilean, Chinese, Colombian, Comoran, Congolese, Costa Rican,
Croatian, Cuban, Cypriot, Czech, Dane, Danish, Djiboutian, Dominican, Dutch, East Timorese, Ecuadorean, Ecuadorian, Egyptian, Emirati, English, Englishman, Englishwoman, Eritrean,
Estonian, Ethiopian, Fijian, Filipino, Filipina, Finn, Finnish, Flemish, French, Frenchman, Gabonese, Gambian, Georgian, German, Ghanaian, Greek, Greenlander, Greenlandic, Grenadian,
Guatemalan, Guinean, Guyanese, Haitian, Honduran, Hungarian, Icelander, Icelandic, Indian, Indonesian, Iranian, Iraqi, Irish, Irishman, Israeli, Italian, Ivorian, Jamaican,
Japanese, Jordanian, Kazakh, Kenyan, Korean, Kosovar, Kurd, Kurdish, Kuwaiti, Kyrgyz, Lao, Laotian, Latvian, Lebanese, Liberian, Libyan, Liechtensteiner, Lithuanian, Luxembourger,
Macedonian, Malagasy, Malawian, Malaysian, Maldivian, Malian, Maltese, Mauritanian, Mauritian, Mexican, Micronesian, Moldovan, Monegasque, Mongolian, Montenegrin, Moroccan,
Mozambican, Namibian, Nepalese, Nepali, New Zealander, Nicaraguan, Nigerian, Nigerien, North Korean, Norwegian, Omani, Pakistani, Palestinian, Panamanian, Paraguayan, Peruvian,
Pole, Polish, Portuguese, Puerto Rican, Qatari, Romanian, Russian, Rwandan, Salvadoran, Samoan, Saudi, Saudi Arabian, Scot, Scottish, Scotsman, Senegalese, Serb, Serbian, Sierra Leonean,
Singaporean, Slovak, Slovakian, Slovene, Slovenian, Somali, South African, South Korean, Spaniard, Spanish, Sri Lankan, Sudanese, Surinamer, Surinamese, Swazi, Swede, Swedish,
Swiss, Syrian, Taiwanese, Tajik, Tanzanian, Thai, Tibetan, Togolese, Tongan, Trinidadian, Tunisian, Turk, Turkish, Turkmen, Ugandan, Ukrainian, Uruguayan, Uyghur, Uzbek, Venezuelan,
Vietnamese, Welsh, Welshman, Yemeni, Yemenite, Zambian, Zimbabwean, African American, Afro-American, African, Asian, European, Latino, Latina, Hispanic, Scandinavian, Arab, Basque, Roma, Inuit, Maori,
Christian, Catholic, Roman Catholic, Protestant, Lutheran, Anglican, Baptist, Methodist, Mormon, Evangelical, Orthodox Christian, Jehovah's Witness, Quaker, Muslim, Moslem, Sunni, Shia, Shiite, Shii, Shi'ite,
Sufi, Ismaili, Alawite, Druze, Jew, Jewish, Hindu, Sikh, Jain, Buddhist, Taoist, Shintoist, Zoroastrian, Atheist, Baháʼí, Rastafarian, Republican, Democrat, Communist, Socialist, Tory, Conservative Party, Labour Party
`);
