/** Names of countries, of regions used in addresses, and of large cities; public facts (ISO 3166, UN city statistics). */

const lines = (text: string): string[] =>
  text
    .split(/[,\n]/)
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '');

const COUNTRIES = new Set(
  lines(`
Afghanistan, Albania, Algeria, Andorra, Angola, Antigua and Barbuda, Argentina, Armenia, Aruba, Australia, Austria, Azerbaijan, Bahamas, Bahrain, Bangladesh,
Barbados, Belarus, Belgium, Belize, Benin, Bermuda, Bhutan, Bolivia, Bosnia and Herzegovina, Bosnia, Botswana, Brazil, Brasil, Brunei, Bulgaria, Burkina Faso,
Burundi, Cambodia, Cameroon, Canada, Cape Verde, Cabo Verde, Cayman Islands, Central African Republic, Chad, Chile, China, Colombia, Comoros, Congo,
Costa Rica, Croatia, Cuba, Curaçao, Cyprus, Czechia, Czech Republic, Côte d'Ivoire, Denmark, Djibouti, Dominica, Dominican Republic, East Timor, Ecuador,
Egypt, El Salvador, England, Equatorial Guinea, Eritrea, Estonia, Eswatini, Ethiopia, Faroe Islands, Fiji, Finland, France, French Polynesia, Gabon, Gambia,
Georgia, Germany, Deutschland, Ghana, Gibraltar, Great Britain, Greece, Greenland, Grenada, Guadeloupe, Guam, Guatemala, Guernsey, Guinea, Guinea-Bissau,
Guyana, Haiti, Holland, Honduras, Hong Kong, Hungary, Iceland, India, Indonesia, Iran, Iraq, Ireland, Isle of Man, Israel, Italy, Italia, Ivory Coast,
Jamaica, Japan, Jersey, Jordan, Kazakhstan, Kenya, Kiribati, Kosovo, Kuwait, Kyrgyzstan, Laos, Latvia, Lebanon, Lesotho, Liberia, Libya, Liechtenstein,
Lithuania, Luxembourg, Macao, Macau, Macedonia, North Macedonia, Madagascar, Malawi, Malaysia, Maldives, Mali, Malta, Marshall Islands, Martinique,
Mauritania, Mauritius, Mexico, México, Micronesia, Moldova, Monaco, Mongolia, Montenegro, Montserrat, Morocco, Mozambique, Myanmar, Burma, Namibia, Nauru,
Nepal, Netherlands, New Caledonia, New Zealand, Nicaragua, Niger, Nigeria, North Korea, Northern Ireland, Norway, Oman, Pakistan, Palau, Palestine,
Panama, Papua New Guinea, Paraguay, Peru, Philippines, Poland, Polska, Portugal, Puerto Rico, Qatar, Romania, Russia, Russian Federation, Rwanda,
Saint Lucia, Samoa, San Marino, Saudi Arabia, Scotland, Senegal, Serbia, Seychelles, Sierra Leone, Singapore, Slovakia, Slovenia, Solomon Islands, Somalia,
South Africa, South Korea, South Sudan, Spain, España, Sri Lanka, Sudan, Suriname, Swaziland, Sweden, Switzerland, Schweiz, Syria, Taiwan, Tajikistan,
Tanzania, Thailand, Timor-Leste, Togo, Tonga, Trinidad and Tobago, Tunisia, Turkey, Türkiye, Turkmenistan, Tuvalu, Uganda, UK, Ukraine,
United Arab Emirates, UAE, United Kingdom, United States, United States of America, USA, U.S.A., Uruguay, Uzbekistan, Vanuatu, Vatican City, Venezuela, Vietnam,
Viet Nam, Wales, Yemen, Zambia, Zimbabwe, Österreich
`),
);

/** States of the United States, Canada and Australia, with their postal abbreviations. */
const REGIONS = new Set(
  lines(`
Alabama, Alaska, Arizona, Arkansas, California, Colorado, Connecticut, Delaware, Florida, Hawaii, Idaho, Illinois, Indiana, Iowa, Kansas, Kentucky, Louisiana,
Maine, Maryland, Massachusetts, Michigan, Minnesota, Mississippi, Missouri, Montana, Nebraska, Nevada, New Hampshire, New Jersey, New Mexico, New York,
North Carolina, North Dakota, Ohio, Oklahoma, Oregon, Pennsylvania, Rhode Island, South Carolina, South Dakota, Tennessee, Texas, Utah, Vermont, Virginia,
Washington, West Virginia, Wisconsin, Wyoming, AL, AK, AZ, AR, CA, CO, CT, DE, FL, GA, HI, ID, IL, IN, IA, KS, KY, LA, ME, MD, MA, MI, MN, MS, MO, MT, NE,
NV, NH, NJ, NM, NY, NC, ND, OH, OK, OR, PA, RI, SC, SD, TN, TX, UT, VT, VA, WA, WV, WI, WY, DC, Ontario, Quebec, Québec, British Columbia, Alberta, Manitoba,
Saskatchewan, Nova Scotia, New Brunswick, Newfoundland, ON, QC, BC, AB, MB, SK, NS, NB, NL, PE, New South Wales, Queensland, South Australia, Tasmania,
Western Australia, NSW, QLD, VIC, TAS, ACT, NT, Bavaria, Bayern, Saxony, Hesse, Tuscany, Lombardy, Sicily, Catalonia, Andalusia, Brittany, Normandy, Provence
`),
);

/** Cities with more than about a million people, capitals, and well-known cities. */
const CITIES = new Set(
  lines(`
Tokyo, Delhi, New Delhi, Shanghai, São Paulo, Sao Paulo, Mexico City, Cairo, Mumbai, Bombay, Beijing, Dhaka, Osaka, New York City, Karachi, Buenos Aires, Chongqing, Istanbul, Kolkata,
Calcutta, Manila, Lagos, Rio de Janeiro, Tianjin, Kinshasa, Guangzhou, Los Angeles, Moscow, Shenzhen, Lahore, Bangalore, Bengaluru, Paris, Bogotá, Bogota, Jakarta, Chennai,
Lima, Bangkok, Seoul, Nagoya, Hyderabad, London, Tehran, Chicago, Chengdu, Nanjing, Wuhan, Ho Chi Minh City, Luanda, Ahmedabad, Kuala Lumpur, Xi'an, Hangzhou, Riyadh,
Santiago, Madrid, Toronto, Baghdad, Belo Horizonte, Singapore City, Pune, Houston, Dallas, Barcelona, Saint Petersburg, Philadelphia, Atlanta, Miami, Washington DC, Boston,
San Francisco, Phoenix, Seattle, San Diego, San Jose, San Antonio, Austin, Denver, Detroit, Portland, Las Vegas, Sacramento, Orlando, Tampa, Minneapolis, Cleveland,
Baltimore, Pittsburgh, Cincinnati, Nashville, Memphis, Oklahoma City, New Orleans, Milwaukee, Kansas City, Salt Lake City, Honolulu, Anchorage, Buffalo, Albuquerque,
Tucson, Fresno, Oakland, Berkeley, Palo Alto, Indianapolis, Jacksonville, Fort Worth, El Paso, Louisville, Omaha, Raleigh, Brooklyn, Manhattan, Queens, Bronx, Long Beach,
Hollywood, Santa Monica, Santa Barbara, Santa Cruz, Charlotte, Columbus, St. Louis, Montreal, Montréal, Vancouver, Calgary, Edmonton, Ottawa, Winnipeg, Quebec City, Halifax,
Berlin, Hamburg, Munich, München, Cologne, Köln, Frankfurt, Stuttgart, Düsseldorf, Leipzig, Dortmund, Essen, Bremen, Dresden, Hanover, Hannover, Nuremberg, Nürnberg, Bonn,
Vienna, Wien, Graz, Linz, Salzburg, Innsbruck, Zurich, Zürich, Geneva, Genève, Basel, Bern, Lausanne, Luzern, Brussels, Antwerp, Ghent, Bruges, Amsterdam, Rotterdam,
The Hague, Utrecht, Eindhoven, Luxembourg City, Marseille, Lyon, Toulouse, Nantes, Strasbourg, Bordeaux, Lille, Rome, Roma, Milan, Milano, Naples, Napoli, Turin, Torino,
Palermo, Genoa, Bologna, Florence, Firenze, Venice, Venezia, Verona, Messina, Lisbon, Lisboa, Porto, Valencia, Seville, Sevilla, Zaragoza, Málaga, Bilbao, Granada,
Dublin, Cork, Galway, Belfast, Edinburgh, Glasgow, Cardiff, Manchester, Birmingham, Liverpool, Leeds, Sheffield, Bristol, Nottingham, Newcastle, Oxford, Cambridge, Brighton,
Copenhagen, København, Aarhus, Stockholm, Gothenburg, Göteborg, Malmö, Oslo, Bergen, Trondheim, Stavanger, Helsinki, Espoo, Tampere, Turku, Oulu, Reykjavik, Reykjavík, Tallinn,
Riga, Vilnius, Kaunas, Warsaw, Warszawa, Kraków, Krakow, Łódź, Wrocław, Poznań, Gdańsk, Szczecin, Prague, Praha, Brno, Ostrava, Bratislava, Budapest, Debrecen, Bucharest,
Cluj-Napoca, Sofia, Belgrade, Beograd, Zagreb, Split, Ljubljana, Maribor, Sarajevo, Skopje, Tirana, Athens, Thessaloniki, Nicosia, Valletta, Kyiv, Kiev, Kharkiv, Odesa, Odessa,
Lviv, Minsk, Chisinau, Tbilisi, Yerevan, Baku, Ankara, Izmir, Jerusalem, Tel Aviv, Haifa, Beirut, Damascus, Amman, Kuwait City, Doha, Dubai, Abu Dhabi, Muscat, Sanaa, Jeddah, Mecca,
Kabul, Islamabad, Kathmandu, Colombo, Hanoi, Phnom Penh, Yangon, Vientiane, Taipei, Busan, Kyoto, Yokohama, Sapporo, Fukuoka, Hiroshima, Ulaanbaatar, Jaipur, Lucknow, Surat, Kanpur,
Sydney, Melbourne, Brisbane, Perth, Adelaide, Canberra, Auckland, Wellington, Christchurch, Havana, Kingston, Santo Domingo, San Juan, Guatemala City, Managua, Panama City, Caracas,
Medellín, Quito, Guayaquil, La Paz, Montevideo, Asunción, Brasília, Brasilia, Salvador, Fortaleza, Recife, Curitiba, Porto Alegre, Manaus, Guadalajara, Monterrey, Tijuana, Cancún,
Algiers, Casablanca, Rabat, Tunis, Tripoli, Alexandria, Khartoum, Addis Ababa, Nairobi, Mombasa, Kampala, Dar es Salaam, Kigali, Accra, Abidjan, Dakar, Abuja, Kano, Ibadan, Harare,
Lusaka, Maputo, Johannesburg, Cape Town, Durban, Pretoria, Antananarivo
`),
);

export function isCountry(name: string): boolean {
  return COUNTRIES.has(name.toLowerCase());
}

export function isRegion(name: string): boolean {
  return REGIONS.has(name.toLowerCase());
}

export function isCity(name: string): boolean {
  return CITIES.has(name.toLowerCase());
}
