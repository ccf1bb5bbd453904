"""Forms of words: endings of medicine, endings and small words of other languages, short forms."""

from __future__ import annotations

import re

from .vocabulary import words_in

HEADS = words_in(
    "syndrome disease disorder deficiency infection degeneration anomaly malformation tumor cancer fever fracture test stain "
    "phenomenon sign palsy type"
)
"""A name of unknown words with one of these is an eponym's."""

FOREIGN_ENDING = re.compile(
    r"(?:ique|iques|aque|ung|ungen|heit|keit|krankheit|cion|ciones|zione|zioni|encia|enza|dad|idad|eux|euse|ico|ica|aca|aco|oso|osa|"
    r"ado|ada|ido|ida|ite|ites|ie|isch|ische|ischer|isches|fall|schmerz|schmerzen|infarkt|que|aire|aires|ose|oses|eur|miento|"
    r"mento|tura|iere|chen|zustand|anfall|bruch|krebs|sucht|schwache|maladie|zucker)$"
)
"""Endings of other languages; a word that has one is no word of medicine by its beginning: "cardiaque"."""

FOREIGN_WORDS = words_in(
    "la el los las del du des le les der die das und mit et con por para di della il aux dans avec een het och na de y"
)
"""Small words of other languages: beside an unknown word they say that it is one of theirs."""

FOREIGN_DENIALS = words_in(
    "kein keine keinen keiner nicht ohne sin senza sans ningun ninguna aucun aucune niet geen ingen ikke inte"
)
"""Words of other languages that deny: "kein Asthma" would be an asthma."""

FALSE_FRIENDS = words_in("hypertonie hypotonie")
"""Words of other languages near English ones of another meaning: German "Hypertonie" is high blood pressure, no hypertonia."""

NEVER_ENGLISH = FOREIGN_DENIALS | FALSE_FRIENDS
"""No slips of English words; where one stands, the text is of another language."""

MEDICAL_ENDING = re.compile(
    r"(?:itis|itides|oma|omas|omata|osis|oses|iasis|asis|emia|aemia|emic|uria|uric|pathy|pathic|plegia|plegic|paresis|trophy|trophic|"
    r"plasia|plastic|algia|dynia|ectomy|ostomy|otomy|plasty|scopy|graphy|gram|ism|rrhea|rrhagia|cele|ectasia|ectasis|penia|penic|"
    r"cytosis|philia|phobia|mania|sclerosis|malacia|megaly|opia|opsia|lysis|lytic|stenosis|spasm|ptosis|mycosis|virus|viral|coccus|"
    r"coccal|bacter|bacteria|toxicity|genic|genesis|genous|edema|derma|dermia|phagia|phasia|kinesia|lexia|lalia|taxia|thymia|"
    r"mab|nib|ciclib|parib|statin|pril|sartan|olol|azole|cillin|mycin|micin|floxacin|cycline|vir|prazole|dipine|zosin|gliptin|"
    r"gliflozin|glutide|caine|barbital|azepam|triptan|setron|tidine|thiazide|semide|amide|idine|azine|oxetine|triptyline|"
    r"zolamide|dronate|parin|xaban|grel|cept|stim|poietin|ferol|sone|solone|nazole|quine|oid|oidal|otic|ulent|iform|itic|ectatic|"
    r"chezia|asma|cyesis|lith|lithiasis|celes|renone|amine|dactyly|cephaly|schisis|mastia|gnosia|phagy|synapsis|melia|chromacy|somy)$"
)
"""Endings of diseases, operations, drugs and microbes: a rare one of these is in no vocabulary."""
SHORT_FORM = re.compile(r"(?<![^\W_])(?=[A-Za-z]*[A-Z][A-Za-z]*[A-Z])[A-Za-z]{2,9}(?![^\W_])")
"""Words with two capitals or more: "MPSIIID", "psJIA"."""
